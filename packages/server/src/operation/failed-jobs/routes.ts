import * as api from '@parley/api/operation/jobs'
import { transactIn } from '../../context.ts'
import { type App, serve } from '../../http/serving/serve.ts'
import { handleFailedJob } from './actions.ts'
import { readRealmFailedJobs } from './queries.ts'

export function failedJobRoutes(app: App): void {
  serve(app, api.getFailedJobs, async ({ ctx, user }) => {
    const jobs = await readRealmFailedJobs(ctx.db, user.realm_id)
    return { jobs: jobs.map(({ realm_id: _, ...job }) => job) }
  })

  serve(app, api.retryFailedJob, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => handleFailedJob(tx, user.id, path.job_id, 'retry'))
    return {}
  })

  serve(app, api.removeFailedJob, async ({ ctx, user, path }) => {
    await transactIn(ctx, user.realm_id, (tx) => handleFailedJob(tx, user.id, path.job_id, 'remove'))
    return {}
  })
}
