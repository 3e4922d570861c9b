import type { FailedJob } from '@parley/api/operation/jobs'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'

/** A job that failed for good. `realm_id` is null for jobs that belong to no organization. */
export interface FailedJobRow extends FailedJob {
  realm_id: number | null
}

const maxShown = 1000

const failedJobs = sql`
  (select id, task, attempts::int as attempts, last_error, created_at, (payload ->> 'realm_id')::bigint as realm_id
     from jobs.jobs where locked_at is null and attempts >= max_attempts) as failed`

/** Newest first. */
export async function readFailedJobs(db: Db, which: RawBuilder<unknown> = sql`true`): Promise<FailedJobRow[]> {
  const rows = await many<Omit<FailedJobRow, 'error'> & { last_error: string | null }>(db)`
    select id, task, attempts, last_error, floor(extract(epoch from created_at))::bigint as created_at, realm_id
      from ${failedJobs} where ${which} order by id desc limit ${maxShown}`
  return rows.map(({ last_error, ...job }) => ({ ...job, error: shown(last_error) }))
}

interface UnfinishedJob {
  id: number
  task: string
  state: 'waiting' | 'running' | 'failed'
  attempts: number
  run_at: Date
  realm_id: number | null
  error: string | null
}

/** Jobs that failed for good, or all that are not finished, in the order in which they are due. */
export async function readUnfinishedJobs(db: Db, all: boolean): Promise<UnfinishedJob[]> {
  const rows = await many<Omit<UnfinishedJob, 'error'> & { last_error: string | null }>(db)`
    select id, task,
           case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed'
                else 'waiting' end as state,
           attempts::int as attempts, run_at, (payload ->> 'realm_id')::bigint as realm_id, last_error
      from jobs.jobs where ${all} or locked_at is null and attempts >= max_attempts order by run_at, id limit ${maxShown}`
  return rows.map(({ last_error, ...job }) => ({
    ...job,
    error: job.state === 'failed' || last_error !== null ? shown(last_error) : null,
  }))
}

const maxErrorLength = 500

/** Removes passwords from URLs. The error is null if the process died while it ran the job. */
function shown(error: string | null): string {
  if (error === null) return 'The process that ran this job died.'
  return error.replaceAll(/\/\/[^\s/@]*@/g, '//…@').slice(0, maxErrorLength)
}

export function readRealmFailedJobs(db: Db, realmId: number): Promise<FailedJobRow[]> {
  return readFailedJobs(db, sql`realm_id = ${realmId}`)
}
