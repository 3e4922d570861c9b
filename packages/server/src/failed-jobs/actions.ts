import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { type FailedJobRow, readFailedJobs } from './queries.ts'

/** What can be done about a job that was given up. */
export type FailedJobAction = 'retry' | 'remove'

const auditActions = { retry: 'job_retried', remove: 'job_removed' }

/** Does something about a job of the organization. Of another's nobody is told that it exists. */
export async function handleFailedJob(
  tx: Tx,
  actorId: number | null,
  id: number,
  remedy: FailedJobAction,
): Promise<void> {
  const { task } = await accessFailedJob(tx.db, sql`id = ${id} and realm_id = ${tx.realmId}`)
  await applyToFailedJob(tx.db, id, remedy)
  await tx.audit(actorId, auditActions[remedy], { id, task })
}

export async function accessFailedJob(db: Db, which: RawBuilder<unknown>): Promise<FailedJobRow> {
  const [job] = await readFailedJobs(db, which)
  if (!job) throw new NoSuchFailedJob()
  return job
}

/** These functions leave a job alone that is running. */
export async function applyToFailedJob(db: Db, id: number, remedy: FailedJobAction): Promise<void> {
  const ids = sql`array[${id}]::bigint[]`
  const { rows } = await (remedy === 'retry'
    ? sql`select id from graphile_worker.reschedule_jobs(${ids}, run_at := now(), attempts := 0)`
    : sql`select id from graphile_worker.complete_jobs(${ids})`
  ).execute(db)
  if (rows.length === 0) throw new NoSuchFailedJob()
}

class NoSuchFailedJob extends ApiError {
  constructor() {
    super('There is no such failed job.')
  }
}
