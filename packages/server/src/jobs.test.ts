import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { transactIn } from './context.ts'
import { startJobs } from './platform/jobs/worker.ts'
import { newWorld, type World } from './testing/world.ts'

/** Waits until something is true, or gives up. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue() && tries < 500; tries++) await sleep(10)
  assert.ok(isTrue())
}

function start({ ctx }: World, task: (payload: unknown) => Promise<void>) {
  return startJobs({ pool: ctx.pool, log: ctx.log, tasks: { note: task }, schedule: { note: '0 4 1 1 *' } })
}

test('a job runs once, however many processes look for work', async (t) => {
  const world = await newWorld()
  const done: unknown[] = []
  const note = async (payload: unknown) => void done.push(payload)
  const processes = [start(world, note), start(world, note)]
  t.after(() => Promise.all(processes.map((jobs) => jobs.stop())))

  for (let n = 0; n < 5; n++) await transactIn(world.ctx, world.realmId, (tx) => tx.enqueue('note', { n }))
  await until(() => done.length >= 5)
  await sleep(100)

  assert.deepEqual(done.map((payload) => (payload as { n: number }).n).sort(), [0, 1, 2, 3, 4])
})

test('a job of a transaction that fails never runs', async (t) => {
  const world = await newWorld()
  const done: unknown[] = []
  const jobs = start(world, async (payload) => void done.push(payload))
  t.after(() => jobs.stop())

  const failed = transactIn(world.ctx, world.realmId, async (tx) => {
    await tx.enqueue('note', { from: 'failure' })
    throw new Error('changed my mind')
  })
  await assert.rejects(failed, /changed my mind/)
  await transactIn(world.ctx, world.realmId, (tx) => tx.enqueue('note', { from: 'success' }))
  await until(() => done.length > 0)

  assert.deepEqual(done, [{ from: 'success' }])
})

test('jobs go on when the database comes back', async (t) => {
  const world = await newWorld()
  const done: unknown[] = []
  const jobs = start(world, async (payload) => void done.push(payload))
  t.after(() => jobs.stop())
  await sleep(200)

  const kill =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  await world.ctx.pool.query(kill)
  await sleep(50)
  await transactIn(world.ctx, world.realmId, (tx) => tx.enqueue('note', {}))

  await until(() => done.length === 1)
})
