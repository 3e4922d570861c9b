import type pg from 'pg'

/** A job that this process has locked. */
export interface HeldJob {
  id: number
  task: string
  payload: unknown
  attempts: number
}

/**
 * Locks the next due job of these tasks. Concurrent processes get different jobs. The line is locked together with its
 * job, so that no other process takes the next job of the line.
 */
export async function takeJob(pool: pg.Pool, holder: string, tasks: string[]): Promise<HeldJob | undefined> {
  const { rows } = await pool.query<HeldJob>(take, [holder, tasks])
  return rows[0]
}

const take = `
  with next as (
    select id, job_queue_id from graphile_worker._private_jobs
     where is_available and run_at <= now()
       and task_id in (select id from graphile_worker._private_tasks where identifier = any ($2::text[]))
       and (job_queue_id is null or job_queue_id in (
             select id from graphile_worker._private_job_queues where is_available for update skip locked))
     order by priority, run_at limit 1
       for update skip locked
  ), line as (
    update graphile_worker._private_job_queues q set locked_by = $1, locked_at = now()
      from next where q.id = next.job_queue_id
  )
  update graphile_worker._private_jobs j
     set attempts = j.attempts + 1, locked_by = $1, locked_at = now(), updated_at = now()
    from next, graphile_worker._private_tasks t
   where j.id = next.id and t.id = j.task_id
  returning j.id, t.identifier as task, j.payload, j.attempts`

/** Deletes a finished job, unless another process has taken it over. */
export async function completeJob(pool: pg.Pool, holder: string, { id }: HeldJob): Promise<void> {
  await pool.query(
    `with ended as (delete from graphile_worker._private_jobs where id = $2 and locked_by = $1 returning job_queue_id)
     ${releaseLine}`,
    [holder, id],
  )
}

/**
 * Schedules the next attempt with exponential backoff (e^n seconds); after the last attempt the job stays as failed.
 */
export async function failJob(pool: pg.Pool, holder: string, { id }: HeldJob, reason: string): Promise<void> {
  await pool.query(
    `with ended as (
       update graphile_worker._private_jobs
          set last_error = $3, run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second',
              locked_by = null, locked_at = null, updated_at = now()
        where id = $2 and locked_by = $1
       returning job_queue_id)
     ${releaseLine}`,
    [holder, id, reason],
  )
}

const releaseLine = `
  update graphile_worker._private_job_queues q set locked_by = null, locked_at = null
    from ended where q.id = ended.job_queue_id and q.locked_by = $1`

/** Releases the jobs that a stopping process still has locked; an aborted attempt is not counted. */
export async function releaseJobs(pool: pg.Pool, holder: string): Promise<void> {
  await pool.query(
    `with jobs as (
       update graphile_worker._private_jobs
          set attempts = greatest(attempts - 1, 0), locked_by = null, locked_at = null, updated_at = now()
        where locked_by = $1)
     update graphile_worker._private_job_queues set locked_by = null, locked_at = null where locked_by = $1`,
    [holder],
  )
}

/** Adds a scheduled run once per minute, by whichever process comes first. Runs of a task never overlap. */
export async function addScheduledRun(pool: pg.Pool, task: string, minute: Date): Promise<void> {
  await pool.query(
    `with first as (
       insert into graphile_worker._private_known_crontabs as known (identifier, known_since, last_execution)
       values ($1, now(), $2)
       on conflict (identifier) do update set last_execution = excluded.last_execution
         where known.last_execution is null or known.last_execution < excluded.last_execution
       returning 1)
     select graphile_worker.add_job($1, queue_name := $1, job_key := $1, max_attempts := 1) from first`,
    [task, minute],
  )
}
