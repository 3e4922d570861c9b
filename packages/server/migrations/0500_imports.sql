-- Imports from other programs. One is `loading` until the organization is opened; a killed one is continued by the next run.
create table imports (
  realm_id bigint not null references realms,
  id bigint generated always as identity,
  source text not null,
  digest bytea not null, -- SHA-256 of the file
  state text not null check (state in ('loading', 'done')),
  options jsonb not null, -- the choices of the first run, which a continued one keeps
  report jsonb, -- once it is done
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (realm_id, id)
);

-- What each thing of a file became, so that a repeated or newer file adds only what is new. Without foreign keys: it is
-- written as fast as messages, and what it names may have been deleted since.
create table import_map (
  realm_id bigint not null,
  kind text not null,
  key_hash bytea not null, -- of the key in the source
  new_id bigint not null,
  import_id bigint not null,
  primary key (realm_id, kind, key_hash)
);

-- What a file had that could not be taken over, or was changed.
create table import_problems (
  realm_id bigint not null,
  import_id bigint not null,
  number integer not null,
  kind text not null,
  place text not null, -- in the file
  error text not null,
  primary key (realm_id, import_id, number),
  foreign key (realm_id, import_id) references imports (realm_id, id) on delete cascade
);
