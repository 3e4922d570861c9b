import type pg from 'pg'

/** A job that this process has locked. */
export interface HeldJob {
  id: number
  task: string
  payload: unknown
  attempts: number
  max_attempts: number
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
    select id, line_id from jobs.jobs
     where is_available and run_at <= now() and task = any ($2::text[])
       and (line_id is null or line_id in (select id from jobs.lines where is_available for update skip locked))
     order by run_at limit 1
       for update skip locked
  ), line as (
    update jobs.lines l set locked_by = $1, locked_at = now() from next where l.id = next.line_id
  )
  update jobs.jobs j set attempts = j.attempts + 1, locked_by = $1, locked_at = now(), updated_at = now()
    from next where j.id = next.id
  returning j.id, j.task, j.payload, j.attempts, j.max_attempts`

/** Deletes a finished job, unless another process has taken it over. */
export async function completeJob(pool: pg.Pool, holder: string, { id }: HeldJob): Promise<void> {
  await pool.query(
    `with ended as (delete from jobs.jobs where id = $2 and locked_by = $1 returning line_id)
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
       update jobs.jobs
          set last_error = $3, run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second',
              locked_by = null, locked_at = null, updated_at = now()
        where id = $2 and locked_by = $1
       returning line_id)
     ${releaseLine}`,
    [holder, id, reason],
  )
}

const releaseLine = `
  update jobs.lines l set locked_by = null, locked_at = null
    from ended where l.id = ended.line_id and l.locked_by = $1`

/** Releases the jobs that a stopping process still has locked; an aborted attempt is not counted. */
export async function releaseJobs(pool: pg.Pool, holder: string): Promise<void> {
  await pool.query(
    `with released as (
       update jobs.jobs
          set attempts = greatest(attempts - 1, 0), locked_by = null, locked_at = null, updated_at = now()
        where locked_by = $1)
     update jobs.lines set locked_by = null, locked_at = null where locked_by = $1`,
    [holder],
  )
}

/**
 * Adds a scheduled run of each task, once per minute, by whichever process comes first. Runs of a task never overlap. In one
 * order, so that processes do not lock each other out.
 */
export async function addScheduledRuns(pool: pg.Pool, tasks: string[], minute: Date): Promise<void> {
  await pool.query(
    `with first as (
       insert into jobs.schedules as s (task, last_run) select task, $2 from unnest($1::text[]) task order by task
       on conflict (task) do update set last_run = excluded.last_run where s.last_run < excluded.last_run
       returning task)
     select jobs.add_job(task, line := task, job_key := task, max_attempts := 1) from first order by task`,
    [tasks, minute],
  )
}
