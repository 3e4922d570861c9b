import { sql } from 'kysely'
import { type Context, transactIn } from '../context.ts'
import {
  accessFailedJob,
  applyToFailedJob,
  type FailedJobAction,
  handleFailedJob,
} from '../operation/failed-jobs/actions.ts'
import { readFailedJobs } from '../operation/failed-jobs/queries.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { withContext, withDatabase } from './open-context.ts'

/** Prints the failed jobs of all organizations. */
export async function listFailedJobs(): Promise<void> {
  const jobs = await withDatabase((db) => readFailedJobs(db))
  if (jobs.length === 0) console.log('There are no failed jobs.')
  for (const { id, task, attempts, created_at, realm_id, error } of jobs) {
    const whose = realm_id === null ? '' : `, organization ${realm_id}`
    console.log(`${id}  ${task}, from ${new Date(created_at * 1000).toISOString()}, ${attempts} attempts${whose}`)
    console.log(`    ${error.replaceAll('\n', '\n    ')}`)
  }
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
