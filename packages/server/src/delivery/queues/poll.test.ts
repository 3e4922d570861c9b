import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { setTypingStatus } from '@parley/api/conversations/typing'
import * as api from '@parley/api/delivery/queues'
import { updateUser } from '@parley/api/identity/accounts'
import { buildApp } from '../../http/app.ts'
import { Metrics } from '../../platform/metrics.ts'
import { Actor } from '../../testing/actor.ts'
import { startsWaiting } from '../../testing/waiting-poll.ts'
import { newWorld } from '../../testing/world.ts'
import { QueueHub } from './hub.ts'

test('a poll without new events waits until an event arrives', async () => {
  const { ann, ben } = await newWorld()
  const { queue_id, last_event_id } = await ben.registers()

  const waiting = ben.does(api.getEvents, { queue_id, last_event_id })
  const id = await ann.sends({ to: [ben] })

  const { events } = await waiting
  assert.equal(events[0]?.type === 'message' && events[0].message.id, id)
})

test('a poll with dont_block returns immediately, even without events', async () => {
  const { ben } = await newWorld()
  const { queue_id, last_event_id } = await ben.registers()
  const answer = await ben.does(api.getEvents, { queue_id, last_event_id, dont_block: true })
  assert.deepEqual(answer.events, [])
  assert.equal(answer.queue_id, queue_id)
})

test('polling again with an older id returns the same events again', async () => {
  const { ann, ben } = await newWorld()
  const { queue_id, last_event_id } = await ben.registers()
  await ann.sends({ to: [ben], content: 'one' })
  await ann.sends({ to: [ben], content: 'two' })
  const first = await ben.does(api.getEvents, { queue_id, last_event_id, dont_block: true })
  await ben.does(api.getEvents, { queue_id, last_event_id: first.events.at(-1)!.id, dont_block: true })

  const again = await ben.does(api.getEvents, { queue_id, last_event_id, dont_block: true })

  assert.deepEqual(again.events, first.events)
})

test('an id greater than that of the last event is refused with BAD_EVENT_QUEUE_ID', async () => {
  const { ben } = await newWorld()
  const { queue_id, last_event_id } = await ben.registers()
  const error = await ben.isRefused(api.getEvents, { queue_id, last_event_id: last_event_id + 5_000_000 })
  assert.equal(error.code, 'BAD_EVENT_QUEUE_ID')
})

test('without last_event_id, or with -1, a queue is read from its start', async () => {
  const { ann, ben } = await newWorld()
  const { queue_id } = await ben.registers()
  const id = await ann.sends({ to: [ben] })
  for (const place of [{}, { last_event_id: -1 }]) {
    const { events } = await ben.does(api.getEvents, { queue_id, ...place, dont_block: true })
    assert.equal(events[0]?.type === 'message' && events[0].message.id, id)
  }
})

test('polling without a queue id registers a queue', async () => {
  const { ann, ben } = await newWorld()
  const { queue_id, events } = await ben.does(api.getEvents, { dont_block: true, apply_markdown: true })
  assert.deepEqual(events, [])
  await ann.sends({ to: [ben], content: '*hi*' })
  const answer = await ben.does(api.getEvents, { queue_id, last_event_id: -1, dont_block: true })
  assert.equal(answer.events[0]?.type === 'message' && answer.events[0].message.content, '<p><em>hi</em></p>')
})

test('an unknown queue and the queue of another user are refused with the same error', async () => {
  const { ann, ben } = await newWorld()
  const { queue_id } = await ben.registers()
  for (const id of [queue_id, 'nonsense']) {
    const error = await ann.isRefused(api.getEvents, { queue_id: id, last_event_id: -1 })
    assert.deepEqual([error.status, error.code, error.queue_id], [400, 'BAD_EVENT_QUEUE_ID', id])
    assert.equal((await ann.isRefused(api.deleteQueue, { queue_id: id })).code, 'BAD_EVENT_QUEUE_ID')
  }
})

test('a queue of another realm is refused like an unknown one', async () => {
  const { ann } = await newWorld()
  const elsewhere = await newWorld()
  const { queue_id } = await ann.registers()
  assert.equal((await elsewhere.olga.isRefused(api.getEvents, { queue_id })).code, 'BAD_EVENT_QUEUE_ID')
})

test('deleting a queue ends a poll on it without events; the next poll and deletion are refused', async () => {
  const { ctx, ben } = await newWorld()
  const { queue_id, last_event_id } = await ben.registers()
  const { answer } = await startsWaiting(ctx, () => ben.does(api.getEvents, { queue_id, last_event_id }))

  await ben.does(api.deleteQueue, { queue_id })

  assert.deepEqual((await answer).events, [])
  assert.equal((await ben.isRefused(api.getEvents, { queue_id, last_event_id })).code, 'BAD_EVENT_QUEUE_ID')
  const error = await ben.isRefused(api.deleteQueue, { queue_id })
  assert.deepEqual([error.code, error.queue_id], ['BAD_EVENT_QUEUE_ID', queue_id])
})

test('a second poll on a queue ends the first', async () => {
  const { ctx, ann, ben } = await newWorld()
  const { queue_id, last_event_id } = await ben.registers()
  const first = await startsWaiting(ctx, () => ben.does(api.getEvents, { queue_id, last_event_id }))
  const second = ben.does(api.getEvents, { queue_id, last_event_id })
  assert.deepEqual((await first.answer).events, [])
  await ann.sends({ to: [ben] })
  assert.equal((await second).events.length, 1)
})

test('a local id sent with the queue of another user is ignored', async () => {
  const { ann, ben } = await newWorld()
  const { queue_id } = await ben.registers()
  await ann.registers()
  await ann.sends({ to: [ben], queue_id, local_id: '17.01' })
  for (const actor of [ann, ben]) assert.equal((await actor.receives('message'))[0]?.local_message_id, undefined)
})

test('polling without a queue id registers a queue and waits for its first event', async () => {
  const { ctx, ann, ben } = await newWorld()
  const { answer } = await startsWaiting(ctx, () => ben.does(api.getEvents, { event_types: ['message'] }))
  const id = await ann.sends({ to: [ben] })
  const { events, queue_id } = await answer
  assert.equal(events[0]?.type === 'message' && events[0].message.id, id)
  await ben.does(api.deleteQueue, { queue_id })
})

test('a queue cannot be narrowed to followed topics', async () => {
  const { ben } = await newWorld()
  assert.equal((await ben.isRefused(api.register as never, { narrow: [['is', 'followed']] })).code, 'BAD_REQUEST')
})

test('a null narrow means no narrow', async () => {
  const { ann, ben } = await newWorld()
  await ben.registers({ narrow: null })
  await ann.sends({ to: [ben] })
  assert.equal((await ben.receives('message')).length, 1)
})

test('a queue receives only the event types it is registered for', async () => {
  const { ann, ben } = await newWorld()
  await ben.registers({ event_types: ['message'] })
  await ann.does(setTypingStatus, { op: 'start', to: [ben.id] })
  await ann.sends({ to: [ben] })
  assert.deepEqual(
    (await ben.reads()).map(({ type }) => type),
    ['message'],
  )
})

test('an idle poll gets a heartbeat whose id lies between those of earlier and later events', async () => {
  const { ann, ben, ctx } = await newWorld()
  const queues = new QueueHub(
    { ...ctx, metrics: new Metrics(), endQueue: async () => {}, endOldEpochs: async () => {} },
    1,
  )
  const app = buildApp({ ...ctx, queues })
  const impatient = new Actor(app, ben.id, 'Ben', ben.credentials)
  const { queue_id, last_event_id } = await impatient.registers({ event_types: ['message'] })

  const { events } = await impatient.does(api.getEvents, { queue_id, last_event_id })

  const [heartbeat] = events
  assert.equal(heartbeat?.type, 'heartbeat')
  assert.ok(heartbeat.id > last_event_id)
  await ann.sends({ to: [ben] })
  const after = await impatient.does(api.getEvents, { queue_id, last_event_id: heartbeat.id, dont_block: true })
  assert.equal(after.events.length, 1)
  assert.ok(after.events[0]!.id > heartbeat.id)
  await queues.close()
  await app.close()
})

test('the local id of a message is returned only in the queue that the sender named', async () => {
  const { ann, ben } = await newWorld()
  await ben.registers()
  const { queue_id } = await ann.registers()
  await ann.sends({ to: [ben], queue_id, local_id: '17.01' })
  assert.equal((await ann.receives('message'))[0]?.local_message_id, '17.01')
  assert.equal((await ben.receives('message'))[0]?.local_message_id, undefined)
})

test('a user has at most 100 queues; registering another deletes the one that was idle longest', async () => {
  const { ben } = await newWorld()
  const first = await ben.registers({ fetch_event_types: [] })
  for (let n = 0; n < 100; n++) await ben.registers({ fetch_event_types: [] })
  assert.equal(
    (await ben.isRefused(api.getEvents, { queue_id: first.queue_id, dont_block: true })).code,
    'BAD_EVENT_QUEUE_ID',
  )
})

for (const when of ['before', 'only after'])
  test(`a role applies from the event that changed it, for a client that polled ${when} the change`, async () => {
    const { ann, ben, gus, adam } = await newWorld()
    for (const one of [ben, gus]) await one.registers()
    await ann.does(subscribe, { subscriptions: [{ name: 'padua' }] })
    if (when === 'before') for (const one of [ben, gus]) await one.reads()
    await adam.does(updateUser, { path: { user_id: gus.id }, role: roles.member })
    await adam.does(updateUser, { path: { user_id: ben.id }, role: roles.guest })
    const channelOps = async (one: Actor) => (await one.receives('stream')).map(({ op }) => op)
    assert.deepEqual(await channelOps(gus), ['create'])
    assert.deepEqual(await channelOps(ben), ['create', 'delete'])
  })
