import type { FailedJob } from '@parley/api/jobs'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'
import { many } from '../platform/db/query.ts'

/** A job that failed for good. `realm_id` is null for jobs that belong to no organization. */
export interface FailedJobRow extends FailedJob {
  realm_id: number | null
}

const maxShown = 1000

/** Reads the private tables, because the view `jobs` lacks the payload, which contains the realm id. */
const failedJobs = sql`
  (select j.id, t.identifier as task, j.attempts::int as attempts, j.last_error, j.created_at,
          (j.payload ->> 'realm_id')::bigint as realm_id
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.locked_at is null and j.attempts >= j.max_attempts) as failed`

/** Newest first. */
export async function readFailedJobs(db: Db, which: RawBuilder<unknown> = sql`true`): Promise<FailedJobRow[]> {
  const rows = await many<Omit<FailedJobRow, 'error'> & { last_error: string | null }>(db)`
    select id, task, attempts, last_error, floor(extract(epoch from created_at))::bigint as created_at, realm_id
      from ${failedJobs} where ${which} order by id desc limit ${maxShown}`
  return rows.map(({ last_error, ...job }) => ({ ...job, error: shown(last_error) }))
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
