import { type Static, Type } from 'typebox'
import { id, unixSeconds } from '../common.ts'
import { operation } from '../operation.ts'

/** A background job of the organization that failed in all its attempts. Its payload is not shown. */
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
  summary: 'List the failed background jobs of the organization, newest first, at most 1000.',
  response: { jobs: Type.Array(failedJob) },
})

export const retryFailedJob = operation({
  name: 'retryFailedJob',
  method: 'POST',
  path: '/jobs/failed/{job_id}/retry',
  access: 'admin',
  tag,
  summary: 'Retry a failed job, with a new count of attempts.',
  pathParams,
})

export const removeFailedJob = operation({
  name: 'removeFailedJob',
  method: 'DELETE',
  path: '/jobs/failed/{job_id}',
  access: 'admin',
  tag,
  summary: 'Delete a failed job, so that it never runs.',
  pathParams,
})
