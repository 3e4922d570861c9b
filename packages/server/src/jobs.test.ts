import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { transactIn } from './context.ts'
import type { Job } from './platform/jobs/tasks.ts'
import { startJobs } from './platform/jobs/worker.ts'
import { until } from './testing/until.ts'
import { newWorld, type World } from './testing/world.ts'

type Note = Job<'delete_file'>

/** A process that works, and does something of ours instead of deleting files. */
function start({ ctx }: World, task: (note: Note) => Promise<void>) {
  return startJobs({ pool: ctx.pool, log: ctx.log, tasks: { delete_file: task }, schedule: {}, atOnce: 2 })
}

const note = ({ ctx, realmId }: World, path: string) =>
  transactIn(ctx, realmId, (tx) => tx.enqueue('delete_file', { path }))

test('a job runs once, however many processes look for work', async (t) => {
  const world = await newWorld()
  const done: string[] = []
  const task = async ({ path }: Note) => void done.push(path)
  const processes = [start(world, task), start(world, task)]
  t.after(() => Promise.all(processes.map((jobs) => jobs.stop())))

  for (const path of ['a', 'b', 'c', 'd', 'e']) await note(world, path)
  await until(() => done.length >= 5)
  await sleep(100)

  assert.deepEqual(done.sort(), ['a', 'b', 'c', 'd', 'e'])
})

test('a job of a transaction that fails never runs', async (t) => {
  const world = await newWorld()
  const done: Note[] = []
  const jobs = start(world, async (job) => void done.push(job))
  t.after(() => jobs.stop())

  const failed = transactIn(world.ctx, world.realmId, async (tx) => {
    await tx.enqueue('delete_file', { path: 'failure' })
    throw new Error('changed my mind')
  })
  await assert.rejects(failed, /changed my mind/)
  await note(world, 'success')
  await until(() => done.length > 0)

  assert.deepEqual(done, [{ path: 'success', realm_id: world.realmId }])
})

/** What a pool does, in either of the ways it can be asked, when there is no database. */
function isAway(callback?: (error: Error) => void): unknown {
  const error = Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' })
  return callback ? callback(error) : Promise.reject(error)
}

test('a database that is away just when a job ends ends nothing else', async (t) => {
  const world = await newWorld()
  const { pool } = world.ctx
  const done: string[] = []
  const jobs = start(world, async ({ path }) => {
    done.push(path)
    if (done.length > 2) return
    t.mock.method(pool, 'connect', isAway)
    setTimeout(() => t.mock.restoreAll(), 200)
    if (path === 'fails') throw new Error('nor can this be written down')
  })
  t.after(() => jobs.stop())

  for (const path of ['ends', 'fails', 'comes later']) {
    await note(world, path)
    await until(() => done.includes(path))
    await sleep(300)
  }
})

test('jobs go on when the database comes back', async (t) => {
  const world = await newWorld()
  const done: Note[] = []
  const jobs = start(world, async (job) => void done.push(job))
  t.after(() => jobs.stop())
  await sleep(200)

  const kill =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  await world.ctx.pool.query(kill)
  await sleep(50)
  await note(world, 'again')

  await until(() => done.length === 1)
})
