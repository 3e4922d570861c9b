import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { deleteQueue } from '@parley/api/queues'
import type { Actor } from '../testing/actor.ts'
import { type Loopback, newLoopback } from '../testing/loopback.ts'

let started: Promise<Loopback> | undefined
const loopback = () => (started ??= newLoopback())

/** Asks on a real connection; `client` is a parameter that polls do not usually have and that means nothing. */
async function ask(realm: string, actor: Actor, query: string, headers = {}) {
  const response = await fetch(`${realm}/api/v1/events?${query}`, { headers: { ...actor.headers, ...headers } })
  const { date: _, 'x-ratelimit-reset': __, ...others } = Object.fromEntries(response.headers)
  return { status: response.status, headers: others, body: await response.json() }
}

/** How often a poll was found to be plain. */
function plainPolls(t: TestContext, { ctx }: Loopback): () => number {
  const { mock } = t.mock.method(ctx.queues, 'knows')
  return () => mock.calls.filter(({ result }) => result === true).length
}

test('a plain poll gets what the framework would answer: events, nothing, and headers', async (t) => {
  const server = await loopback()
  const { realm, ann, ben } = server
  const { queue_id, last_event_id } = await ben.listens({ event_types: ['message'] })
  await ben.reads()
  const plain = plainPolls(t, server)
  const query = `queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`

  assert.deepEqual(await ask(realm, ben, query), await ask(realm, ben, `${query}&client=x`))
  await ann.sends({ to: [ben] })
  const answer = await ask(realm, ben, query)

  assert.deepEqual(answer, await ask(realm, ben, `${query}&client=x`))
  assert.equal(answer.body.events.length, 1)
  assert.equal(plain(), 2)
})

test('a plain poll waits for the next event', async (t) => {
  const server = await loopback()
  const { realm, ann, ben } = server
  const { queue_id, last_event_id } = await ben.listens({ event_types: ['message'] })
  await ben.reads()
  const plain = plainPolls(t, server)
  const waiting = ask(realm, ben, `queue_id=${queue_id}&last_event_id=${last_event_id}`)
  while (plain() === 0) await new Promise((resolve) => setTimeout(resolve, 5))

  const id = await ann.sends({ to: [ben] })

  assert.equal((await waiting).body.events[0].message.id, id)
})

test('what is wrong with a poll is told the same way', async () => {
  const { realm, ann, ben } = await loopback()
  const { queue_id, last_event_id } = await ben.listens()
  await ben.reads()
  const wrong = [
    'queue_id=nothing&last_event_id=-1',
    `queue_id=${queue_id}&last_event_id=x`,
    `queue_id=${queue_id}&last_event_id=-2`,
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

test('a plain poll that waits ends with its queue', async (t) => {
  const server = await loopback()
  const { realm, ben } = server
  const { queue_id, last_event_id } = await ben.listens({ event_types: ['message'] })
  await ben.reads()
  const plain = plainPolls(t, server)
  const waiting = ask(realm, ben, `queue_id=${queue_id}&last_event_id=${last_event_id}`)
  while (plain() === 0) await new Promise((resolve) => setTimeout(resolve, 5))

  await ben.does(deleteQueue, { queue_id })

  assert.equal((await waiting).body.code, 'BAD_EVENT_QUEUE_ID')
})
