import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { exists } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { type FailedJobRow, readFailedJobs } from './queries.ts'

/** What an administrator can do with a failed job. */
export type FailedJobAction = 'retry' | 'remove'

const auditActions = { retry: 'job_retried', remove: 'job_removed' }

/** Retries or removes a failed job of the organization. Jobs of other organizations fail like missing ones. */
export async function handleFailedJob(
  tx: Tx,
  actorId: number | null,
  id: number,
  action: FailedJobAction,
): Promise<void> {
  const { task } = await accessFailedJob(tx.db, sql`id = ${id} and realm_id = ${tx.realmId}`)
  await applyToFailedJob(tx.db, id, action)
  await tx.audit(actorId, auditActions[action], { id, task })
}

export async function accessFailedJob(db: Db, which: RawBuilder<unknown>): Promise<FailedJobRow> {
  const [job] = await readFailedJobs(db, which)
  if (!job) throw new NoSuchFailedJob()
  return job
}

/** Throws if the job is running: a retry may have started since it was read. */
export async function applyToFailedJob(db: Database, id: number, action: FailedJobAction): Promise<void> {
  const idle = sql`id = ${id} and locked_at is null`
  const change =
    action === 'retry'
      ? sql`update jobs.jobs set run_at = now(), attempts = 0, updated_at = now() where ${idle} returning id`
      : sql`delete from jobs.jobs where ${idle} returning id`
  if (!(await exists(db)`${change}`)) throw new NoSuchFailedJob()
}

class NoSuchFailedJob extends ApiError {
  constructor() {
    super('There is no such failed job.')
  }
}
