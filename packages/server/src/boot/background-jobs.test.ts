import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { transactIn } from '../context.ts'
import { startJobs } from '../platform/jobs/job-runner.ts'
import { addScheduledRuns } from '../platform/jobs/job-store.ts'
import { WorkSignal } from '../platform/jobs/signal.ts'
import type { Job } from '../platform/jobs/tasks.ts'
import { until } from '../testing/until.ts'
import { newWorld, type World } from '../testing/world.ts'

type Note = Job<'delete_file'>

/** A world without the jobs that earlier tests left to be retried. */
async function newJoblessWorld(): Promise<World> {
  const world = await newWorld()
  await world.ctx.pool.query('delete from jobs.jobs where locked_at is null')
  return world
}

/** A process that runs jobs, with a task of the test in place of deleting files. */
function start({ ctx }: World, task: (note: Note) => Promise<void>) {
  return startJobs({ pool: ctx.pool, log: ctx.log, tasks: { delete_file: task }, atOnce: 2 })
}

const note = ({ ctx, realmId }: World, path: string) =>
  transactIn(ctx, realmId, (tx) => tx.enqueue('delete_file', { path }))

test('a job runs once, however many processes look for work', async (t) => {
  const world = await newJoblessWorld()
  const done: string[] = []
  const task = async ({ path }: Note) => void done.push(path)
  const processes = [start(world, task), start(world, task)]
  t.after(() => Promise.all(processes.map((jobs) => jobs.stop())))

  for (const path of ['a', 'b', 'c', 'd', 'e']) await note(world, path)
  await until(() => done.length >= 5)
  await sleep(100)

  assert.deepEqual(done.sort(), ['a', 'b', 'c', 'd', 'e'])
})

test('no job starts during a pause, and what waits runs after it', async (t) => {
  const world = await newJoblessWorld()
  const done: string[] = []
  let [asked, isPaused] = [0, true]
  const tasks = { delete_file: async ({ path }: Note) => void done.push(path) }
  const pause = () => isPaused && ++asked > 0
  const jobs = startJobs({ pool: world.ctx.pool, log: world.ctx.log, tasks, atOnce: 2, isPaused: pause })
  t.after(() => jobs.stop())

  await note(world, 'a')
  await until(() => asked > 4)
  assert.deepEqual(done, [])
  isPaused = false
  await until(() => done.length > 0)
})

test('a job of a rolled-back transaction never runs', async (t) => {
  const world = await newJoblessWorld()
  const done: Note[] = []
  const jobs = start(world, async (job) => void done.push(job))
  t.after(() => jobs.stop())

  const failed = transactIn(world.ctx, world.realmId, async (tx) => {
    await tx.enqueue('delete_file', { path: 'failure' })
    throw new Error('rolled back')
  })
  await assert.rejects(failed, /rolled back/)
  await note(world, 'success')
  await until(() => done.length > 0)

  assert.deepEqual(done, [{ path: 'success', realm_id: world.realmId }])
})

/** Makes a pool fail as without a database, in both of its call styles. */
function isAway(callback?: (error: Error) => void): unknown {
  const error = Object.assign(new Error('the database is unreachable'), { code: 'ECONNREFUSED' })
  return callback ? callback(error) : Promise.reject(error)
}

test('a job for later starts when it is due, and not before', async (t) => {
  const world = await newJoblessWorld()
  const starts: number[] = []
  const jobs = start(world, async () => void starts.push(Date.now()))
  t.after(() => jobs.stop())
  const runAt = new Date(Date.now() + 500)

  await transactIn(world.ctx, world.realmId, (tx) => tx.enqueue('delete_file', { path: 'later' }, { runAt }))
  await until(() => starts.length > 0)

  assert.ok(starts[0]! >= runAt.getTime())
})

test('a database outage at the end of a job does not end the process', async (t) => {
  const world = await newJoblessWorld()
  const { pool } = world.ctx
  const done: string[] = []
  const jobs = start(world, async ({ path }) => {
    done.push(path)
    if (done.length > 2) return
    t.mock.method(pool, 'connect', isAway)
    setTimeout(() => t.mock.restoreAll(), 200)
    if (path === 'fails') throw new Error('this error cannot be stored')
  })
  t.after(() => jobs.stop())

  for (const path of ['ends', 'fails', 'comes later']) {
    await note(world, path)
    await until(() => done.includes(path))
    await sleep(300)
  }
})

test('jobs continue when the database comes back', async (t) => {
  const world = await newJoblessWorld()
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

test('jobs of one line run one after another', async (t) => {
  const world = await newJoblessWorld()
  const steps: string[] = []
  const jobs = start(world, async ({ path }) => {
    steps.push(`begin ${path}`)
    await sleep(50)
    steps.push(`end ${path}`)
  })
  t.after(() => jobs.stop())

  await transactIn(world.ctx, world.realmId, async (tx) => {
    for (const path of ['a', 'b']) await tx.enqueue('delete_file', { path }, { line: `line ${world.realmId}` })
  })
  await until(() => steps.length === 4)

  assert.deepEqual(steps, ['begin a', 'end a', 'begin b', 'end b'])
})

test('a job that ends while another worker finds nothing lets the next of its line start', async (t) => {
  const { ctx, realmId } = await newJoblessWorld()
  const signal = new WorkSignal(ctx.pool)
  await until(() => signal.generation > 0)
  for (const path of ['first', 'second'])
    await transactIn(ctx, realmId, (tx) => tx.enqueue('delete_file', { path }, { line: 'one' }))
  const [looked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const query = ctx.pool.query.bind(ctx.pool) as (text: string, values?: unknown[]) => Promise<{ rowCount: number }>
  t.mock.method(ctx.pool, 'query', async (text: string, values?: unknown[]) => {
    const result = await query(text, values)
    if (text.includes('delete from jobs.jobs')) ended.resolve()
    if (values?.[0] !== jobs.pools()[0] || result.rowCount !== 0) return result
    looked.resolve()
    await ended.promise
    await sleep(100)
    return result
  })
  t.mock.method(signal, 'wake', () => {}) // only the end of a job lets workers look again
  const done: string[] = []
  const task = async ({ path }: Note) => {
    await looked.promise
    done.push(path)
  }
  const jobs = startJobs({
    pool: ctx.pool,
    log: ctx.log,
    tasks: { delete_file: task },
    atOnce: 2,
    signal,
  })
  t.after(() => {
    t.mock.restoreAll()
    return jobs.stop()
  })
  await until(() => done.length === 2)
  assert.deepEqual(done, ['first', 'second'])
})

test('where there is no work, one look is enough for all workers', async (t) => {
  const { ctx } = await newJoblessWorld()
  const signal = new WorkSignal(ctx.pool)
  const jobs = startJobs({ pool: ctx.pool, log: ctx.log, tasks: {}, atOnce: 5, signal })
  t.after(() => jobs.stop())
  await until(() => signal.generation > 0)
  await sleep(200)
  const { mock } = t.mock.method(ctx.pool, 'query')
  const before = signal.generation

  signal.wake()
  await sleep(200)

  const looks = mock.calls.filter(({ arguments: [, values] }) => values?.[0] === jobs.pools()[0])
  assert.equal(looks.length, signal.generation - before)
})

test('an attempt aborted by shutdown is not counted, and another process retries it', async (t) => {
  const world = await newJoblessWorld()
  const never = Promise.withResolvers<void>()
  t.after(() => never.resolve())
  let hasBegun = false
  const stopped = start(world, () => {
    hasBegun = true
    return never.promise
  })
  await note(world, 'long')
  await until(() => hasBegun)
  await stopped.stop()

  const { rows } = await world.ctx.pool.query(
    `select attempts, locked_by from jobs.jobs where payload ->> 'path' = 'long'`,
  )
  assert.deepEqual(rows, [{ attempts: 0, locked_by: null }])
  const done: string[] = []
  const next = start(world, async ({ path }) => void done.push(path))
  t.after(() => next.stop())
  await until(() => done.includes('long'))
})

test('a scheduled run is added once per minute, however many processes follow the schedule', async () => {
  const { ctx } = await newJoblessWorld()
  const minute = new Date('2026-11-16T07:33:00Z')
  await Promise.all(Array.from({ length: 3 }, () => addScheduledRuns(ctx.pool, ['once'], minute)))
  const runs = `select updated_at = created_at as is_new from jobs.jobs where task = 'once'`
  assert.deepEqual((await ctx.pool.query(runs)).rows, [{ is_new: true }])
})
