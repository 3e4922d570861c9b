import assert from 'node:assert/strict'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import * as api from '@parley/api/delivery/queues'
import pg from 'pg'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { beginGeneration } from '../../delivery/queues/server-generation.ts'
import { checkDataFolder } from '../../events/following/log-epochs.ts'
import { buildApp } from '../../http/app.ts'
import { tempFolder } from '../../platform/postgres/test-support.ts'
import { Actor } from '../actor.ts'
import { until } from '../until.ts'
import { newWorld, type World } from '../world.ts'

/** Runs statements next to the database, while nobody is connected to it. */
async function alone({ ownerUrl }: World, statements: (name: string) => string[]): Promise<void> {
  const name = new URL(ownerUrl).pathname.slice(1)
  const client = new pg.Client({ connectionString: process.env.PARLEY_TEST_DATABASE })
  await client.connect()
  await client.query(`alter database ${name} allow_connections false`)
  await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name])
  for (const statement of statements(name)) await client.query(statement)
  await client.query(`alter database ${name} allow_connections true`)
  await client.end()
}

const backUp = (world: World) =>
  alone(world, (name) => [`drop database if exists backup`, `create database backup template ${name}`])

const restore = (world: World) =>
  alone(world, (name) => [`drop database ${name}`, `alter database backup rename to ${name}`])

/** What a restored disk looks like: the same database, without its newest rows. */
async function goBack({ ownerUrl, realmId }: World, event: number, message: number): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  await client.query(`
    begin;
    delete from events where realm_id = ${realmId} and seq > ${event};
    delete from messages where realm_id = ${realmId} and id > ${message};
    update realm_counters set last_event = ${event}, last_message = ${message} where realm_id = ${realmId};
    commit`)
  await client.end()
}

async function counters({ ctx, realmId }: World) {
  return ctx.db
    .selectFrom('realm_counters')
    .select(['last_event as event', 'last_message as message'])
    .where('realm_id', '=', realmId)
    .executeTakeFirstOrThrow()
}

/** Ben's queue, and a function that polls it without waiting and returns the code of an error, if there is one. */
async function bensQueue({ ben }: World) {
  const { queue_id, last_event_id } = await ben.registers()
  let last = last_event_id
  const poll = async (by: Actor = ben) => {
    const answer = await by.request(api.getEvents as never, { queue_id, last_event_id: last, dont_block: true })
    const { events = [], code } = answer.body as { events?: { id: number; type: string }[]; code?: string }
    last = Math.max(last, ...events.map(({ id }) => id))
    return { code, messages: events.filter(({ type }) => type === 'message').length }
  }
  return poll
}

async function sendMany({ ann, ben }: World, count: number): Promise<number[]> {
  const ids = []
  for (let n = 0; n < count; n++) ids.push(await ann.sends({ to: [ben] }))
  return ids
}

/** Sends again as soon as the server has noticed that its connections were closed. */
async function sendAgain(world: World, count: number): Promise<number[]> {
  await until(async () => (await world.app.inject({ url: '/health/ready' })).statusCode === 200)
  return sendMany(world, count)
}

test('after a backup is restored under a running server, no id is reused, and clients that saw lost events register again', async (t) => {
  const world = await newWorld()
  t.mock.method(world.ctx.log, 'warn', () => {})
  const behind = await bensQueue({ ...world, ben: world.mona })
  const ahead = await bensQueue(world)
  await backUp(world)
  const lost = await sendAgain(world, 5)
  assert.equal((await ahead()).messages, 5)

  await restore(world)
  const sent = await sendAgain(world, 12)

  assert.ok(Math.min(...sent) > Math.max(...lost), `${sent} after ${lost}`)
  assert.deepEqual(await ahead(), { code: 'BAD_EVENT_QUEUE_ID', messages: 0 })
  await until(async () => (await behind()).code === 'BAD_EVENT_QUEUE_ID')
})

/** A server without memory, on the database of the world. */
async function restarted(t: TestContext, world: World) {
  const ctx = await createContext(world.ctx.config, world.ctx.pool.options.connectionString!)
  const app = buildApp(ctx)
  t.after(async () => {
    await app.close()
    await closeContext(ctx)
  })
  await beginGeneration(ctx)
  return ({ id, name, credentials }: Actor) => new Actor(app, id, name, credentials)
}

test('a server that starts on a restored disk refuses clients that saw lost events, even after the log has passed them', async (t) => {
  const world = await newWorld()
  const unaware = await bensQueue({ ...world, ben: world.mona })
  const poll = await bensQueue(world)
  const { event, message } = await counters(world)
  await sendMany(world, 5)
  await poll()
  world.ctx.follower.forget(world.realmId)
  await goBack(world, event, message)

  const there = await restarted(t, world)
  await sendMany({ ...world, ann: there(world.ann) }, 12)

  assert.deepEqual(await poll(there(world.ben)), { code: 'BAD_EVENT_QUEUE_ID', messages: 0 })
  assert.equal((await unaware(there(world.mona))).code, undefined)
})

test('a running server whose log became shorter ends the queues of the realm and lets the ids jump', async (t) => {
  const world = await newWorld()
  const errors = t.mock.method(world.ctx.log, 'error', () => {}).mock
  const unaware = await bensQueue({ ...world, ben: world.mona })
  const poll = await bensQueue(world)
  const { event, message } = await counters(world)
  const lost = await sendMany(world, 5)
  await poll()

  await goBack(world, event, message)

  await until(async () => (await poll()).code === 'BAD_EVENT_QUEUE_ID')
  await until(async () => (await unaware()).code === 'BAD_EVENT_QUEUE_ID')
  assert.ok(Math.min(...(await sendMany(world, 2))) > Math.max(...lost))
  assert.equal(errors.callCount(), 1)
})

test('queues of clients that have seen nothing lost continue in a new epoch', async (t) => {
  const world = await newWorld()
  const poll = await bensQueue(world)
  await sendMany(world, 3)
  await poll()

  const there = await restarted(t, world)
  await sendMany(world, 2)

  assert.deepEqual(await poll(there(world.ben)), { code: undefined, messages: 2 })
  await sendMany(world, 1)
  assert.deepEqual(await poll(), { code: undefined, messages: 1 })
})

test('the ids jump if the folder of the embedded database was copied, and only then', async (t) => {
  const world = await newWorld()
  const [original, copy] = [join(tempFolder(t), 'data'), join(tempFolder(t), 'data')]
  mkdirSync(join(original, 'postgres'), { recursive: true })
  writeFileSync(join(original, 'postgres', 'PG_VERSION'), '18')
  const before = await counters(world)
  for (let start = 0; start < 2; start++) await checkDataFolder(world.ctx.db, original)
  assert.deepEqual(await counters(world), before)

  cpSync(original, copy, { recursive: true, preserveTimestamps: true })
  await checkDataFolder(world.ctx.db, copy)
  assert.ok((await counters(world)).message > before.message + 100_000)
})
