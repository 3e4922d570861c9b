import { type Static, Type } from 'typebox'
import { id, unixSeconds } from './common.ts'
import { operation } from './operation.ts'

/** Background work for the organization that was tried as often as it may be. What it was told stays inside. */
export const failedJob = Type.Object({
  id: Type.Integer(),
  task: Type.String(),
  attempts: Type.Integer(),
  created_at: unixSeconds,
  /** Why the last attempt failed. */
  error: Type.String(),
})
export type FailedJob = Static<typeof failedJob>

const tag = 'Background jobs'
const pathParams = { job_id: id }

export const getFailedJobs = operation({
  name: 'getFailedJobs',
  method: 'GET',
  path: '/jobs/failed',
  access: 'admin',
  tag,
  summary: "The organization's background jobs that were given up, the newest first, at most 1000.",
  response: { jobs: Type.Array(failedJob) },
})

export const retryFailedJob = operation({
  name: 'retryFailedJob',
  method: 'POST',
  path: '/jobs/failed/{job_id}/retry',
  access: 'admin',
  tag,
  summary: 'Try a job that was given up once more, from the beginning.',
  pathParams,
})

export const removeFailedJob = operation({
  name: 'removeFailedJob',
  method: 'DELETE',
  path: '/jobs/failed/{job_id}',
  access: 'admin',
  tag,
  summary: 'Remove a job that was given up: it is never done.',
  pathParams,
})
