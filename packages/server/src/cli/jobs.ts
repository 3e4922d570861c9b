import { sql } from 'kysely'
import { type Context, transactIn } from '../context.ts'
import {
  accessFailedJob,
  applyToFailedJob,
  type FailedJobAction,
  handleFailedJob,
} from '../operation/failed-jobs/actions.ts'
import { readUnfinishedJobs } from '../operation/failed-jobs/queries.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { withContext, withDatabase } from './open-context.ts'
import { type ListOptions, printRows } from './print-table.ts'

/** Prints the failed jobs of all organizations, or all jobs that are not finished. */
export async function listJobs({ all, ...options }: ListOptions & { all?: boolean }): Promise<void> {
  const jobs = await withDatabase((db) => readUnfinishedJobs(db, all === true))
  const rows = jobs.map(({ error, ...job }) => ({ ...job, error: options.json ? error : firstLine(error) }))
  printRows(rows, options, all ? 'All jobs are finished.' : 'There are no failed jobs.')
}

function firstLine(error: string | null): string | null {
  return error === null ? null : error.split('\n', 1)[0]!
}

const done = { retry: 'will be retried', remove: 'is removed' }

export async function handleFailedJobs(ids: string[], remedy: FailedJobAction): Promise<void> {
  await withContext(async (ctx) => {
    for (const id of ids.map(jobId)) {
      await treat(ctx, id, remedy)
      console.log(`Job ${id} ${done[remedy]}.`)
    }
  })
}

function jobId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new StartupError(`"${text}" is not a job id: see "parley jobs list".`)
  return Number(text)
}

/** Jobs without a realm have no audit log to write to. */
async function treat(ctx: Context, id: number, remedy: FailedJobAction): Promise<void> {
  const { realm_id } = await accessFailedJob(ctx.db, sql`id = ${id}`)
  if (realm_id === null) await applyToFailedJob(ctx.db, id, remedy)
  else await transactIn(ctx, realm_id, (tx) => handleFailedJob(tx, null, id, remedy))
}
