-- Workers also look for jobs every two seconds, so a database in which NOTIFY is missing or forbidden only delays them.
create function jobs.notify_added() returns void language plpgsql as $$
begin
  perform pg_notify('jobs:insert', '');
exception when insufficient_privilege or undefined_function or feature_not_supported then
  null;
end
$$;

create or replace function jobs.add_job(
  task text, payload json default null, line text default null, run_at timestamptz default null,
  max_attempts integer default null, job_key text default null
) returns jobs.jobs language plpgsql as $$
declare
  added jobs.jobs;
begin
  insert into jobs.lines (name)
  select add_job.line
   where add_job.line is not null and not exists (select 1 from jobs.lines l where l.name = add_job.line)
      on conflict do nothing;
  update jobs.jobs j set key = null, attempts = j.max_attempts, updated_at = now()
   where j.key = add_job.job_key and not j.is_available;
  perform jobs.notify_added();
  insert into jobs.jobs as j (line_id, task, payload, run_at, max_attempts, key)
  select (select l.id from jobs.lines l where l.name = add_job.line),
         add_job.task, coalesce(add_job.payload, '{}'), coalesce(add_job.run_at, now()),
         coalesce(add_job.max_attempts, 25), add_job.job_key
      on conflict (key) do update
     set line_id = excluded.line_id, task = excluded.task, payload = excluded.payload, run_at = excluded.run_at,
         max_attempts = excluded.max_attempts, attempts = 0, last_error = null, updated_at = now()
   where j.locked_at is null
  returning * into added;
  return added;
end
$$;
