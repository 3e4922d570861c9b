import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Actor } from '../../testing/actor.ts'
import { upload } from '../../testing/files.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { buildApp } from '../app.ts'

/** Another process, as far as rate limits are concerned. */
function newProcess(t: TestContext, { ctx }: World, rateLimit: number) {
  const app = buildApp({ ...ctx, config: { ...ctx.config, rateLimit } })
  t.after(() => app.close())
  return async (actor: Actor, url = '/api/v1/users/me') =>
    (await app.inject({ url, headers: actor.headers })).statusCode
}

test('processes share the rate limit of a user', async (t) => {
  const world = await newWorld()
  const one = newProcess(t, world, 10)
  const other = newProcess(t, world, 10)
  for (let n = 0; n < 10; n++) await one(world.ann)
  const shared = `select from rate_limits where key = 'requests user ${world.ann.id}'`
  await until(async () => (await world.ctx.pool.query(shared)).rowCount === 1)
  const statuses: number[] = []
  await until(async () => {
    statuses.push(await other(world.ann))
    return statuses.at(-1) === 429
  }, 100)
  assert.ok(statuses.length <= 10)
  assert.equal(await other(world.ben), 200)
})

test('bots share the rate limit of their owner', async (t) => {
  const world = await newWorld()
  const { ann } = world
  const bots = [1, 2].map((n) => world.add(`bot${n}`, undefined, { bot_type: 1, bot_owner_id: ann.id }))
  const asks = newProcess(t, world, 3)
  for (const actor of [ann, ...(await Promise.all(bots))]) assert.equal(await asks(actor), 200)
  for (const actor of [ann, ...(await Promise.all(bots))]) assert.equal(await asks(actor), 429)
  assert.equal(await asks(world.ben), 200)
})

test('files have their own rate limit, five times as high', async (t) => {
  const world = await newWorld()
  const { ann } = world
  const url = await upload(world, ann, { content: 'x', filename: 'x.txt', type: 'text/plain' })
  const asks = newProcess(t, world, 2)
  for (let n = 0; n < 10; n++) assert.equal(await asks(ann, url), 200)
  assert.equal(await asks(ann, url), 429)
  assert.equal(await asks(ann), 200)
})

test('all clients of an office get server_settings at once, and none of them uses up sign-ins or refused keys', async (t) => {
  const { ctx, host } = await newWorld()
  const app = buildApp({ ...ctx, config: { ...ctx.config, rateLimit: 200 } })
  t.after(() => app.close())
  const asks = (path: string, method: 'GET' | 'POST' = 'GET') =>
    app.inject({ method, url: `/api/v1${path}`, headers: { host } })

  const answers = await Promise.all(Array.from({ length: 200 }, () => asks('/server_settings')))

  assert.ok(answers.every(({ statusCode }) => statusCode === 200))
  assert.equal((await asks('/fetch_api_key', 'POST')).headers['x-ratelimit-remaining'], '999')
  assert.equal((await asks('/users/me')).headers['x-ratelimit-remaining'], '99')
})
