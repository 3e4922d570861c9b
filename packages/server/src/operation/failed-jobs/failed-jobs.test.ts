import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as accounts from '@parley/api/identity/accounts'
import * as api from '@parley/api/operation/jobs'
import { sql } from 'kysely'
import { exists, many } from '../../platform/db/query.ts'
import { mailingWorld } from '../../testing/mailing-world.ts'
import { newFailedJob } from '../../testing/samples.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'

async function auditOf({ ctx, realmId }: World, action: string) {
  return many<{ acting_user_id: number; target: object }>(ctx.db)`
    select acting_user_id, target from audit_log where realm_id = ${realmId} and action = ${action}`
}

test('an email that is refused at every attempt becomes a failed job, and is delivered after a retry', async (t) => {
  const world = await mailingWorld(t)
  const { ctx, olga, adam, ben, receiver } = world
  receiver.refusals.push('451 not for now')
  await olga.does(accounts.deactivateUser, { path: { user_id: ben.id }, deactivation_notification_comment: 'secret' })
  await until(
    () => exists(ctx.db)`
      update jobs.jobs set attempts = max_attempts where last_error is not null and locked_at is null returning id`,
  )

  const { jobs } = await adam.does(api.getFailedJobs)
  assert.equal(jobs.length, 1)
  assert.equal(jobs[0]!.task, 'send_mail')
  assert.match(jobs[0]!.error, /451 not for now/)
  assert.ok(!JSON.stringify(jobs).includes('secret'), 'the payload of the job is not shown')

  const target = { path: { job_id: jobs[0]!.id } }
  await adam.does(api.retryFailedJob, target)
  await until(() => receiver.mail[0])
  assert.deepEqual((await adam.does(api.getFailedJobs)).jobs, [])
  assert.deepEqual(await auditOf(world, 'job_retried'), [
    { acting_user_id: adam.id, target: { id: jobs[0]!.id, task: 'send_mail' } },
  ])
  assert.equal((await adam.isRefused(api.retryFailedJob, target)).code, 'BAD_REQUEST')
})

test('a failed job can be removed', async () => {
  const world = await newWorld()
  const job_id = await newFailedJob(world)
  await world.adam.does(api.removeFailedJob, { path: { job_id } })
  const rows = await many(world.ctx.db)`select 1 from jobs.jobs where id = ${job_id}`
  assert.equal(rows.length, 0)
  assert.equal((await auditOf(world, 'job_removed')).length, 1)
  assert.equal((await world.adam.isRefused(api.removeFailedJob, { path: { job_id } })).code, 'BAD_REQUEST')
})

test('failed jobs of other organizations are refused like missing ones', async () => {
  const [world, other] = [await newWorld(), await newWorld()]
  const job_id = await newFailedJob(world)
  assert.deepEqual((await other.olga.does(api.getFailedJobs)).jobs, [])
  for (const operation of [api.retryFailedJob, api.removeFailedJob])
    assert.deepEqual(
      await other.olga.isRefused(operation, { path: { job_id } }),
      await other.olga.isRefused(operation, { path: { job_id: 999_999_999 } }),
    )
  assert.equal((await world.adam.does(api.getFailedJobs)).jobs.length, 1)
})

test('a job that will be retried automatically is neither listed nor changed', async () => {
  const world = await newWorld()
  const job_id = await newFailedJob(world)
  await sql`update jobs.jobs set attempts = 3, run_at = now() + interval '1 hour' where id = ${job_id}`.execute(
    world.ctx.db,
  )
  assert.deepEqual((await world.adam.does(api.getFailedJobs)).jobs, [])
  await world.adam.isRefused(api.removeFailedJob, { path: { job_id } })
})

test('passwords in URLs are removed from error messages', async () => {
  const world = await newWorld()
  const job_id = await newFailedJob(world)
  const error = 'cannot reach smtps://parley:sesame@mail.example.com:465'
  await sql`update jobs.jobs set last_error = ${error} where id = ${job_id}`.execute(world.ctx.db)
  const { jobs } = await world.adam.does(api.getFailedJobs)
  assert.equal(jobs[0]!.error, 'cannot reach smtps://…@mail.example.com:465')
})
