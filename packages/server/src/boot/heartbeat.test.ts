import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { waitForClients } from '../delivery/queues/jobs.ts'
import { exists, many, one } from '../platform/db/query.ts'
import { type Heartbeat, startHeartbeat } from '../platform/jobs/heartbeat.ts'
import { newFailedJob } from '../testing/samples.ts'
import { until } from '../testing/until.ts'
import { newWorld, type World } from '../testing/world.ts'

const working = (name: string) => ({ pools: () => [name], stop: async () => {} })

function beats({ ctx }: World, pool: string): Heartbeat {
  return startHeartbeat({ pool: ctx.pool, log: ctx.log, serves: true, jobs: working(pool) })
}

/** A job that another process locked some time ago. */
async function heldJob(world: World, holder: string): Promise<number> {
  const id = await newFailedJob(world)
  await sql`
    update jobs.jobs set attempts = 1, locked_by = ${holder}, locked_at = now() - interval '1 minute'
     where id = ${id}`.execute(world.ctx.db)
  return id
}

async function holderOf({ ctx }: World, id: number): Promise<string | null> {
  const { locked_by } = await one<{ locked_by: string | null }>(ctx.db)`
    select locked_by from jobs.jobs where id = ${id}`
  return locked_by
}

/** As if this process had sent heartbeats all the time. */
async function makeSteady({ ctx }: World, pool: string): Promise<void> {
  await until(
    () => exists(ctx.db)`update processes set since = now() - interval '1 hour'
      where ${pool} = any(job_pools) returning 1`,
  )
}

test('jobs of a dead process are taken over, those of a live one are not', async (t) => {
  const world = await newWorld()
  const heartbeat = beats(world, 'the living')
  t.after(() => heartbeat.stop())
  const [left, kept] = [await heldJob(world, 'the dead'), await heldJob(world, 'the living')]
  await makeSteady(world, 'the living')

  await until(async () => (await holderOf(world, left)) === null)
  assert.equal(await holderOf(world, kept), 'the living')
})

test('a process that was away itself takes nothing over', async (t) => {
  const world = await newWorld()
  const heartbeat = beats(world, 'the newcomer')
  t.after(() => heartbeat.stop())
  const left = await heldJob(world, 'perhaps dead')
  await until(async () => {
    return exists(world.ctx.db)`
      select 1 from processes where 'the newcomer' = any(job_pools) and seen_at > since` // a second beat
  })
  assert.equal(await holderOf(world, left), 'perhaps dead')
})

test('a process that stops removes its heartbeat', async () => {
  const world = await newWorld()
  const heartbeat = beats(world, 'the leaving')
  await makeSteady(world, 'the leaving')
  await heartbeat.stop()
  const rows = await many(world.ctx.db)`select 1 from processes where 'the leaving' = any(job_pools)`
  assert.equal(rows.length, 0)
})

test('clients had time to reconnect once a process has served for long, but not when only a worker ran', async () => {
  const { ctx } = await newWorld()
  await sql`delete from processes`.execute(ctx.db)
  const had = async (serves: boolean, minutes: number) => {
    await sql`insert into processes (id, serves, job_pools, since)
      values (gen_random_uuid(), ${serves}, '{}', now() - make_interval(mins => ${minutes}))`.execute(ctx.db)
    return waitForClients(ctx.db)
  }
  assert.equal(await had(false, 60), false)
  assert.equal(await had(true, 5), false)
  assert.equal(await had(true, 12), true)
})
