import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sendMessage } from '@parley/api/conversations/messages'
import * as api from '@parley/api/delivery/queues'
import type { Operation } from '@parley/api/operation'
import { addAlertWords } from '@parley/api/people/alert-words'
import type { FastifyInstance } from 'fastify'
import { closeContext, createContext } from '../../boot/create-context.ts'
import { Batches } from '../../conversations/messages/send/batches.ts'
import { buildApp } from '../../http/app.ts'
import { Actor } from '../../testing/actor.ts'
import { FreezingProxy } from '../../testing/peers/freezing-proxy.ts'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'

/** A second server on the database of the world, behind a proxy; ann and ben use it. */
async function behindProxy(t: TestContext, tickMilliseconds = 150) {
  const world = await newWorld()
  const proxy = await FreezingProxy.start(t, world.ctx.pool.options.connectionString!)
  const ctx = await createContext(world.ctx.config, proxy.url, { tickMilliseconds })
  const app = buildApp(ctx)
  t.after(async () => {
    await app.close()
    await closeContext(ctx)
  })
  const there = ({ id, name, credentials }: Actor) => new Actor(app, id, name, credentials)
  const ann = there(world.ann)
  await ann.sends({ to: [world.ben], content: 'warm up' })
  const send = async (content: string) => {
    const answer = await ann.request(sendMessage as Operation, { type: 'direct', to: [world.ben.id], content })
    return { ...answer, id: (answer.body as { id?: number }).id }
  }
  const stored = async (content: string) => {
    const { rows } = await world.ctx.pool.query('select id from messages where realm_id = $1 and content = $2', [
      ...[world.realmId, content],
    ])
    return rows.map(({ id }) => id as number)
  }
  return { world, proxy, ctx, app, ann, ben: there(world.ben), send, stored }
}

async function readiness(app: FastifyInstance): Promise<number> {
  return (await app.inject({ url: '/health/ready' })).statusCode
}

test('messages whose answer is lost are found in the database and acknowledged, stored once and delivered', async (t) => {
  const { proxy, ben, send, stored } = await behindProxy(t)
  await ben.registers()
  proxy.freezeAnswerTo('lost answer')

  const answers = await Promise.all(['lost answer', 'second', 'third'].map(send))

  assert.ok(proxy.isSprung)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual(await stored('lost answer'), [answers[0]!.id])
  const ids = answers.map(({ id }) => id)
  const received = new Set<unknown>()
  await until(async () => {
    for (const { message } of await ben.receives('message')) received.add(message.id)
    return ids.every((id) => received.has(id))
  })
})

test('messages that did not reach the database get 503, and are not stored even if they arrive later', async (t) => {
  const { proxy, send, stored } = await behindProxy(t)
  proxy.freezeRequest('delayed')

  const { status, headers } = await send('delayed')
  proxy.releaseRequests()
  const later = await send('later')

  assert.equal(status, 503)
  assert.equal(headers['retry-after'], '2')
  assert.equal(later.status, 200)
  assert.deepEqual(await stored('delayed'), [])
})

test('if the database cannot be asked what happened, the client learns that the outcome is unknown', async (t) => {
  const { proxy, ctx } = await behindProxy(t)
  const batches = new Batches(ctx.pool, 1000)
  proxy.freezeAnswerTo('"unknown"')
  const storing = batches.store([], '[{"local_id": "unknown"}]', () => [])
  await until(() => proxy.isSprung)
  proxy.refuseNew(true)
  proxy.freezeAll()
  await assert.rejects(storing, { code: 'OUTCOME_UNKNOWN', status: 409 })
})

test('a commit whose answer is lost is reported as unknown', async (t) => {
  const { proxy, ann } = await behindProxy(t)
  proxy.freezeAnswerTo('commit\0')
  assert.equal((await ann.isRefused(addAlertWords, { alert_words: ['lost'] })).code, 'OUTCOME_UNKNOWN')
})

test('a frozen read of the event log delays its events, and nothing else', async (t) => {
  const { world, proxy, ann, ben } = await behindProxy(t)
  const { queue_id, last_event_id } = await ben.registers()
  const waiting = ben.does(api.getEvents, { queue_id, last_event_id })
  proxy.freezeAnswerTo('payload, audience, personal')

  const id = await world.ann.sends({ to: [world.ben], content: 'from another process' })
  await until(() => proxy.isSprung)
  await ann.sends({ to: [world.ben], content: 'own' })

  const { events } = await waiting
  assert.equal(events[0]?.type === 'message' && events[0].message.id, id)
})

test('a server whose connections all freeze is not ready, and heals by itself', async (t) => {
  const { proxy, app, send } = await behindProxy(t, 700)
  assert.equal(await readiness(app), 200)
  proxy.freezeAll()
  const first = send('during the freeze')
  await until(async () => (await readiness(app)) === 503)

  await first
  await until(async () => (await readiness(app)) === 200)
  assert.equal((await send('afterwards')).status, 200)
})
