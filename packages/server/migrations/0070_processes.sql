-- Programs that run on this database. Each says every few seconds that it is still there; what a silent one was
-- working on is taken over by the others.
create table processes (
  id uuid primary key,
  serves boolean not null, -- answers clients, as a worker does not
  job_pools text[] not null, -- the names under which it holds jobs
  since timestamptz not null default now(), -- the beginning of the time in which it was never silent
  seen_at timestamptz not null default now()
);
