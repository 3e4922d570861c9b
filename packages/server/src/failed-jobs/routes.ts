import * as api from '@parley/api/jobs'
import { transactIn } from '../context.ts'
import { type App, serve } from '../http/serve.ts'
import { handleFailedJob } from './actions.ts'
import { readRealmFailedJobs } from './queries.ts'

export function failedJobRoutes(app: App): void {
  const { ctx } = app

  serve(app, api.getFailedJobs, async ({ user }) => {
    const jobs = await readRealmFailedJobs(ctx.db, user.realm_id)
    return { jobs: jobs.map(({ realm_id: _, ...job }) => job) }
  })

  serve(app, api.retryFailedJob, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => handleFailedJob(tx, user.id, path.job_id, 'retry'))
    return {}
  })

  serve(app, api.removeFailedJob, async ({ user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => handleFailedJob(tx, user.id, path.job_id, 'remove'))
    return {}
  })
}
