import type { FailedJob } from '@parley/api/jobs'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'

/** A job that was given up; `realm_id` is null for work that is no organization's. */
export interface FailedJobRow extends FailedJob {
  realm_id: number | null
}

const mostShown = 1000

/** Not by the view `jobs`: it leaves out the payload, which says whose job it is. */
const failedJobs = sql`
  (select j.id, t.identifier as task, j.attempts::int as attempts, j.last_error, j.created_at,
          (j.payload ->> 'realm_id')::bigint as realm_id
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.locked_at is null and j.attempts >= j.max_attempts) as failed`

/** The newest first. */
export async function readFailedJobs(db: Db, which: RawBuilder<unknown> = sql`true`): Promise<FailedJobRow[]> {
  const { rows } = await sql<Omit<FailedJobRow, 'error'> & { last_error: string | null }>`
    select id, task, attempts, last_error, floor(extract(epoch from created_at))::bigint as created_at, realm_id
      from ${failedJobs} where ${which} order by id desc limit ${mostShown}`.execute(db)
  return rows.map(({ last_error, ...job }) => ({ ...job, error: shown(last_error) }))
}

const longestError = 500

/** The library writes nothing where a process died with the job. Addresses may come with a password. */
function shown(error: string | null): string {
  if (error === null) return 'The process that worked on it died.'
  return error.replaceAll(/\/\/[^\s/@]*@/g, '//…@').slice(0, longestError)
}

export function readRealmFailedJobs(db: Db, realmId: number): Promise<FailedJobRow[]> {
  return readFailedJobs(db, sql`realm_id = ${realmId}`)
}
