import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { Agent, get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { deleteQueue } from '@parley/api/delivery/queues'
import { regenerateApiKey } from '@parley/api/identity/accounts'
import type { Actor } from '../testing/actor.ts'
import { type Loopback, newLoopback } from '../testing/peers/loopback.ts'
import { until } from '../testing/until.ts'

let started: Promise<Loopback> | undefined
const loopback = () => (started ??= newLoopback())

/** Polls over a real connection; `client` is a parameter that polls do not usually have and that has no effect. */
async function ask(realm: string, actor: Actor, query: string, headers = {}) {
  const response = await fetch(`${realm}/api/v1/events?${query}`, { headers: { ...actor.headers, ...headers } })
  // A plain poll is not logged, so that it needs no id.
  const { date: _, 'x-ratelimit-reset': __, 'x-request-id': ___, ...others } = Object.fromEntries(response.headers)
  return { status: response.status, headers: others, body: await response.json() }
}

/** Polls over one connection after another poll. */
async function askOnOneConnection(agent: Agent, realm: string, actor: Actor, query: string): Promise<string> {
  const options = { agent, headers: actor.headers }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  get(`${realm}/api/v1/events?${query}`, options, resolve).on('error', reject)
  return text(await promise)
}

/** How many requests the framework has answered. */
let frameworkAnswers = 0
subscribe('tracing:fastify.request.handler:start', () => {
  frameworkAnswers++
})

async function askPlainly(realm: string, actor: Actor, query: string) {
  const before = frameworkAnswers
  const answer = await ask(realm, actor, query)
  assert.equal(frameworkAnswers, before)
  return answer
}

/** A waiting poll that bypasses the framework. */
async function waitPlainly(t: TestContext, { ctx, realm }: Loopback, actor: Actor, query: string) {
  const { mock } = t.mock.method(ctx.queues, 'read')
  const before = frameworkAnswers
  const waiting = ask(realm, actor, query)
  await until(() => mock.callCount() > 0)
  assert.equal(frameworkAnswers, before)
  return { waiting }
}

test('a plain poll gets the same response as from the framework: events, no events, and headers', async () => {
  const { realm, ann, ben } = await loopback()
  const { queue_id, last_event_id } = await ben.registers({ event_types: ['message'] })
  const query = `queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`

  assert.deepEqual(await askPlainly(realm, ben, query), await ask(realm, ben, `${query}&client=x`))
  await ann.sends({ to: [ben] })
  const answer = await askPlainly(realm, ben, query)

  assert.deepEqual(answer, await ask(realm, ben, `${query}&client=x`))
  assert.equal(answer.body.events.length, 1)
})

test('a plain poll waits for the next event', async (t) => {
  const server = await loopback()
  const { ann, ben } = server
  const { queue_id, last_event_id } = await ben.registers({ event_types: ['message'] })
  const { waiting } = await waitPlainly(t, server, ben, `queue_id=${queue_id}&last_event_id=${last_event_id}`)

  const id = await ann.sends({ to: [ben] })

  assert.equal((await waiting).body.events[0].message.id, id)
})

test('errors of a plain poll are the same as from the framework', async () => {
  const { realm, ann, ben } = await loopback()
  const { queue_id, last_event_id } = await ben.registers()
  await ben.reads()
  const wrong = [
    'queue_id=nothing&last_event_id=-1',
    `queue_id=${queue_id}&last_event_id=x`,
    `queue_id=${queue_id}&last_event_id=-2`,
    `queue_id=${queue_id}&last_event_id=01&dont_block=true`,
    `dont_block=true&queue_id=${queue_id}&last_event_id=01`,
    `queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=maybe`,
    `queue_id=${queue_id}&last_event_id=${last_event_id + 5_000_000}`,
  ]
  for (const query of wrong) {
    const answer = await ask(realm, ben, query)
    assert.equal(answer.status, 400, query)
    assert.deepEqual(answer, await ask(realm, ben, `${query}&client=x`))
  }
  const others = await ask(realm, ann, `queue_id=${queue_id}&last_event_id=${last_event_id}`)
  assert.equal(others.body.code, 'BAD_EVENT_QUEUE_ID')
  const stranger = await ask(realm, ben, `queue_id=${queue_id}&last_event_id=-1`, { authorization: 'Basic eDp5' })
  assert.equal(stranger.status, 401)
})

test('a waiting plain poll ends with its queue', async (t) => {
  const server = await loopback()
  const { ben } = server
  const { queue_id, last_event_id } = await ben.registers({ event_types: ['message'] })
  const { waiting } = await waitPlainly(t, server, ben, `queue_id=${queue_id}&last_event_id=${last_event_id}`)

  await ben.does(deleteQueue, { queue_id })

  assert.deepEqual((await waiting).body.events, [])
})

test('a connection that is used with the credentials of another user is theirs', async (t) => {
  const { realm, ann, ben } = await loopback()
  const { queue_id, last_event_id } = await ben.registers()
  const query = `queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const ask = (actor: Actor) => askOnOneConnection(agent, realm, actor, query)

  assert.match(await ask(ben), /"result":"success"/)
  assert.match(await ask(ben), /"result":"success"/)
  assert.match(await ask(ann), /"code":"BAD_EVENT_QUEUE_ID"/)
  assert.match(await ask(ben), /"result":"success"/)
})

// The last test, because it spends the key.
test('a revoked key is refused on a connection that was used with it', async (t) => {
  const { realm, ben } = await loopback()
  const { queue_id, last_event_id } = await ben.registers()
  const query = `queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  assert.match(await askOnOneConnection(agent, realm, ben, query), /"result":"success"/)

  await ben.does(regenerateApiKey)

  assert.match(await askOnOneConnection(agent, realm, ben, query), /"code":"UNAUTHORIZED"/)
})
