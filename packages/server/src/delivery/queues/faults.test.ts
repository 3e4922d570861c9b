import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { getMessages } from '@parley/api/conversations/messages'
import * as api from '@parley/api/delivery/queues'
import type { Operation } from '@parley/api/operation'
import { createUserGroup } from '@parley/api/organization/groups'
import { Metrics } from '../../platform/metrics.ts'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { until } from '../../testing/until.ts'
import { newWorld, type World } from '../../testing/world.ts'
import { QueueHub } from './hub.ts'
import { Listener } from './listener.ts'
import { BadEventQueueId } from './queue.ts'
import { PollWaiter } from './waiter.ts'

/** Verona with ann, ben and gus in it; errors are collected instead of logged. */
async function verona(t: TestContext) {
  const world = await newWorld()
  await inChannel('verona', [world.ann, world.ben, world.gus])
  await world.ann.sends({ channel: 'verona' })
  const { mock } = t.mock.method(world.ctx.log, 'error', () => {})
  return { ...world, errors: () => mock.calls.map(({ arguments: [, message] }) => message) }
}

interface Answer {
  code?: string
  events: { type: string; message?: { id: number } }[]
}

/** Starts a poll and resolves when it is waiting. */
async function polling(actor: Actor) {
  const { queue_id, last_event_id } = await actor.registers()
  const request = actor.request(api.getEvents as Operation, { queue_id, last_event_id })
  await sleep(100)
  return { queue_id, last_event_id, answer: request.then(({ body }) => body as Answer) }
}

async function storedIn({ ann }: World): Promise<number> {
  const narrow = [{ operator: 'channel', operand: 'verona' }]
  const { messages } = await ann.does(getMessages, { anchor: 'newest', num_before: 500, narrow })
  return messages.filter(({ sender_id }) => sender_id === ann.id).length
}

function failsFor(t: TestContext, user: Actor): void {
  const receives = Listener.prototype.receives
  t.mock.method(Listener.prototype, 'receives', function (this: Listener, ...args: Parameters<typeof receives>) {
    if (this.userId === user.id) throw new Error('injected')
    return receives.apply(this, args)
  })
}

test('a listener that throws while it waits loses its queue, and other users are not affected', async (t) => {
  const world = await verona(t)
  const { ann, ben, gus } = world
  const broken = await polling(gus)
  const intact = await polling(ben)
  failsFor(t, gus)

  const id = await ann.sends({ channel: 'verona' })

  const { events } = await intact.answer
  assert.equal(events[0]?.message?.id, id)
  assert.equal((await broken.answer).code, 'BAD_EVENT_QUEUE_ID')
  assert.deepEqual(world.errors(), ['an event queue failed and was ended'])
  assert.equal(await storedIn(world), 2)
})

test('a failed queue stays unusable, and its user can register another', async (t) => {
  const { ann, gus } = await verona(t)
  const { queue_id, last_event_id, answer } = await polling(gus)
  failsFor(t, gus)
  await ann.sends({ channel: 'verona' })
  await answer
  t.mock.restoreAll()

  // The queue is deleted just after its client was answered.
  const poll = { queue_id, last_event_id, dont_block: true }
  await until(async () => (await gus.request(api.getEvents as Operation, poll)).status === 400)
  assert.equal((await gus.isRefused(api.getEvents, poll)).code, 'BAD_EVENT_QUEUE_ID')
  await gus.registers()
  await ann.sends({ channel: 'verona' })
  assert.equal((await gus.receives('message')).length, 1)
})

test('a queue that throws during a read is ended', async (t) => {
  const { ann, gus, errors } = await verona(t)
  const { queue_id, last_event_id } = await gus.registers()
  await ann.sends({ channel: 'verona' })
  failsFor(t, gus)
  const error = await gus.isRefused(api.getEvents, { queue_id, last_event_id, dont_block: true })
  assert.equal(error.code, 'BAD_EVENT_QUEUE_ID')
  assert.deepEqual(errors(), ['an event queue failed and was ended'])
})

test('a queue that ends while it is looked up is not served', async (t) => {
  const { gus, ctx, realmId } = await verona(t)
  const { queue_id } = await gus.registers()
  const lookups: (() => void)[] = []
  const db = ctx.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => new Promise((resolve) => lookups.push(() => resolve(result))),
  })
  const hub = new QueueHub({
    ...ctx,
    db,
    metrics: new Metrics(),
    endQueue: async () => {},
    endOldEpochs: async () => {},
  })
  t.after(() => hub.close())
  const poll = { userId: gus.id, realmId, queueId: queue_id, lastEventId: undefined }
  const refused = assert.rejects(async () => hub.read(poll), BadEventQueueId)
  await until(() => lookups.length > 0)
  await gus.does(api.deleteQueue, { queue_id })
  for (const finish of lookups) finish()
  await refused
})

test('a client that cannot be answered loses its queue, and other users are not affected', async (t) => {
  const { ann, ben, gus } = await verona(t)
  const broken = await polling(gus)
  const intact = await polling(ben)
  const give = PollWaiter.prototype.give
  t.mock.method(PollWaiter.prototype, 'give', function (this: PollWaiter, ...args: Parameters<typeof give>) {
    if (this.queue.id === broken.queue_id) throw new Error('injected')
    return give.apply(this, args)
  })
  await ann.sends({ channel: 'verona' })
  assert.equal((await intact.answer).events.length, 1)
  assert.equal((await broken.answer).code, 'BAD_EVENT_QUEUE_ID')
})

test('a subscription change that a listener cannot apply ends only the queues of that user', async (t) => {
  const { ann, ben, gus } = await verona(t)
  const broken = await polling(gus)
  const intact = await polling(ben)
  const apply = Listener.prototype.apply
  t.mock.method(Listener.prototype, 'apply', function (this: Listener, ...args: Parameters<typeof apply>) {
    if (this.userId === gus.id) throw new Error('injected')
    apply.apply(this, args)
  })
  await inChannel('padua', [ann, ben, gus])
  assert.notEqual((await intact.answer).events.length, 0)
  assert.equal((await broken.answer).code, 'BAD_EVENT_QUEUE_ID')
})

test('messages whose delivery fails after the commit are stored once, answered with success, and delivered', async (t) => {
  const world = await verona(t)
  const { ann, ben, ctx, errors } = world
  await ben.registers()
  t.mock.method(ctx.follower, 'committed', () => {
    throw Object.assign(new Error('injected'), { code: '40001' }) // looks like a conflict that can be retried
  })
  const sends = Array.from({ length: 40 }, (_, n) => ann.sends({ channel: 'verona', content: `message ${n}` }))
  const ids = await Promise.all(sends)
  assert.equal(new Set(ids).size, 40)
  assert.equal(await storedIn(world), 41)
  assert.ok(errors().length > 0)
  t.mock.restoreAll()
  const received = async () => new Set((await ben.receives('message')).map(({ message }) => message.id))
  for (let tries = 0; (await received()).size < 40 && tries < 100; tries++) await sleep(50)
  assert.deepEqual(
    [...(await received())],
    ids.toSorted((a, b) => a - b),
  )
})

test('messages whose events cannot be delivered are stored once and answered with success', async (t) => {
  const world = await verona(t)
  const { ann, ben, ctx } = world
  const { answer } = await polling(ben)
  t.mock.method(ctx.metrics.batches, 'inc', () => {
    throw new Error('injected')
  })
  const ids = await Promise.all([1, 2, 3].map(() => ann.sends({ channel: 'verona' })))
  assert.equal(await storedIn(world), 4)
  const { events } = await answer
  assert.ok(ids.includes(events[0]!.message!.id))
})

test('a transaction whose immediate delivery fails commits once, succeeds, and its events arrive later', async (t) => {
  const { ann, ben, olga, ctx } = await verona(t)
  const { answer } = await polling(ben)
  const committed = t.mock.method(ctx.follower, 'committed', () => {
    throw Object.assign(new Error('injected'), { code: '40001' })
  })
  await olga.does(createUserGroup, { name: 'poets', description: '', members: [ann.id] })
  assert.equal(committed.mock.callCount(), 1)
  assert.equal((await answer).events[0]?.type, 'user_group')
})

test('a listener of the event log that fails does not prevent delivery to clients', async (t) => {
  const { ann, ben, ctx, errors } = await verona(t)
  const { queue_id, last_event_id, answer } = await polling(ben)
  let armed = true
  ctx.follower.onEvents(() => {
    if (armed) throw new Error('injected')
  })
  t.after(() => {
    armed = false
  })
  const id = await ann.sends({ channel: 'verona' })
  await answer
  const { events } = await ben.does(api.getEvents, { queue_id, last_event_id })
  assert.equal(events[0]?.type === 'message' && events[0].message.id, id)
  assert.deepEqual(errors(), ['a listener of the event log failed'])
})

test('a poll that may not wait is refused at once, also if it has unusual parameters', async () => {
  const { gus, ctx } = await newWorld()
  const newPoll = async (params: object = {}) => {
    const { queue_id, last_event_id } = await gus.registers({ event_types: ['message'], fetch_event_types: [] })
    return gus.request(api.getEvents as Operation, { queue_id, last_event_id, ...params })
  }
  const waiting = Array.from({ length: 20 }, () => newPoll())
  const count = ctx.metrics.registry.getSingleMetric('parley_waiting_polls')!
  await until(async () => (await count.get()).values[0]?.value === waiting.length)
  const { code } = (await newPoll({ unusual: 'yes' })).body as Answer
  assert.equal(code, 'RATE_LIMIT_HIT')
  void Promise.allSettled(waiting)
})
