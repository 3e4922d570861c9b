-- Background jobs. Names and layout are those of graphile-worker 0.18 (migration 20), which earlier versions of Parley
-- used: their databases already have these tables and functions, with the jobs in them, and keep them as they are.
do $migration$
begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    return;
  end if;

  create schema if not exists graphile_worker;

  create table graphile_worker._private_tasks (
    id int primary key generated always as identity,
    identifier text not null unique check (length(identifier) <= 128)
  );

  -- A line: its jobs run one after another.
  create table graphile_worker._private_job_queues (
    id int primary key generated always as identity,
    queue_name text not null unique check (length(queue_name) <= 128),
    locked_at timestamptz,
    locked_by text,
    is_available boolean not null generated always as (locked_at is null) stored
  );

  create table graphile_worker._private_jobs (
    id bigint primary key generated always as identity,
    job_queue_id int,
    task_id int not null,
    payload json not null default '{}',
    priority smallint not null default 0,
    run_at timestamptz not null default now(),
    attempts smallint not null default 0,
    max_attempts smallint not null default 25 check (max_attempts >= 1),
    last_error text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    key text unique check (length(key) between 1 and 512),
    locked_at timestamptz,
    locked_by text,
    revision int not null default 0,
    flags jsonb,
    is_available boolean not null generated always as (locked_at is null and attempts < max_attempts) stored
  );
  create index jobs_main_index on graphile_worker._private_jobs (priority, run_at)
    include (id, task_id, job_queue_id) where is_available;

  create table graphile_worker._private_known_crontabs (
    identifier text primary key,
    known_since timestamptz not null,
    last_execution timestamptz
  );

  create view graphile_worker.jobs as
    select j.id, q.queue_name, t.identifier as task_identifier, j.priority, j.run_at, j.attempts, j.max_attempts,
           j.last_error, j.created_at, j.updated_at, j.key, j.locked_at, j.locked_by, j.revision, j.flags
      from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      left join graphile_worker._private_job_queues q on q.id = j.job_queue_id;

  -- Of jobs with the same key only the newest is done; one that has started already is done to its end, but not retried.
  create function graphile_worker.add_job(
    identifier text, payload json default null, queue_name text default null, run_at timestamptz default null,
    max_attempts int default null, job_key text default null
  ) returns graphile_worker._private_jobs language plpgsql as $function$
  declare
    added graphile_worker._private_jobs;
  begin
    insert into graphile_worker._private_tasks (identifier)
    select add_job.identifier
     where not exists (select 1 from graphile_worker._private_tasks t where t.identifier = add_job.identifier)
        on conflict do nothing;
    insert into graphile_worker._private_job_queues (queue_name)
    select add_job.queue_name
     where add_job.queue_name is not null
       and not exists (select 1 from graphile_worker._private_job_queues q where q.queue_name = add_job.queue_name)
        on conflict do nothing;
    update graphile_worker._private_jobs j set key = null, attempts = j.max_attempts, updated_at = now()
     where j.key = add_job.job_key and not j.is_available;
    perform pg_notify('jobs:insert', '');
    insert into graphile_worker._private_jobs as j (job_queue_id, task_id, payload, run_at, max_attempts, key)
    select (select q.id from graphile_worker._private_job_queues q where q.queue_name = add_job.queue_name),
           t.id, coalesce(add_job.payload, '{}'), coalesce(add_job.run_at, now()), coalesce(add_job.max_attempts, 25),
           add_job.job_key
      from graphile_worker._private_tasks t
     where t.identifier = add_job.identifier
        on conflict (key) do update
       set job_queue_id = excluded.job_queue_id, task_id = excluded.task_id, payload = excluded.payload,
           run_at = excluded.run_at, max_attempts = excluded.max_attempts, attempts = 0, last_error = null,
           revision = j.revision + 1, updated_at = now()
     where j.locked_at is null
    returning * into added;
    return added;
  end
  $function$;

  create function graphile_worker.complete_jobs(job_ids bigint[])
  returns setof graphile_worker._private_jobs language sql as $function$
    delete from graphile_worker._private_jobs where id = any (job_ids) and locked_at is null returning *
  $function$;

  create function graphile_worker.permanently_fail_jobs(job_ids bigint[], error_message text default null)
  returns setof graphile_worker._private_jobs language sql as $function$
    update graphile_worker._private_jobs
       set last_error = coalesce(error_message, 'Manually marked as failed'), attempts = max_attempts, updated_at = now()
     where id = any (job_ids) and locked_at is null returning *
  $function$;

  create function graphile_worker.reschedule_jobs(
    job_ids bigint[], run_at timestamptz default null, attempts int default null, max_attempts int default null
  ) returns setof graphile_worker._private_jobs language sql as $function$
    update graphile_worker._private_jobs j
       set run_at = coalesce(reschedule_jobs.run_at, j.run_at),
           attempts = coalesce(reschedule_jobs.attempts::smallint, j.attempts),
           max_attempts = coalesce(reschedule_jobs.max_attempts::smallint, j.max_attempts), updated_at = now()
     where id = any (job_ids) and locked_at is null returning *
  $function$;

  create function graphile_worker.force_unlock_workers(worker_ids text[]) returns void language sql as $function$
    update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_by = any (worker_ids);
    update graphile_worker._private_job_queues set locked_at = null, locked_by = null where locked_by = any (worker_ids);
  $function$;
end
$migration$;
