import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as channels from '@parley/api/conversations/channels'
import { sendMessage } from '@parley/api/conversations/messages'
import { scheduleMessage } from '@parley/api/conversations/scheduled'
import * as api from '@parley/api/conversations/subscriptions'
import { newWorld } from '../../../testing/world.ts'

const named = (name: string) => ({ subscriptions: [{ name }] })
const secret = { ...named('secret'), invite_only: true }

test('only subscribers and administrators receive a private channel', async () => {
  const { ann, ben, mona, adam } = await newWorld()
  for (const one of [ann, ben, mona, adam]) await one.registers()
  await ann.does(api.subscribe, { ...secret, principals: [ann.id, mona.id] })
  assert.equal((await ann.receives('stream')).length, 1)
  assert.equal((await mona.receives('stream')).length, 1)
  assert.equal((await adam.receives('stream')).length, 1)
  assert.deepEqual(
    (await adam.receives('subscription')).map(({ op }) => op),
    ['peer_add'],
  )
  assert.deepEqual(await ben.reads(), [])
})

test('users who hold a permission in a private channel receive it, except guests', async () => {
  const { ann, ben, mona, gus } = await newWorld()
  for (const one of [ben, mona, gus]) await one.registers()
  await ann.does(api.subscribe, {
    ...secret,
    can_subscribe_group: { direct_members: [ben.id, gus.id], direct_subgroups: [] },
  })
  assert.equal((await ben.receives('stream')).length, 1)
  assert.deepEqual(await mona.reads(), [])
  assert.deepEqual(await gus.reads(), [])
})

test('nobody can subscribe themselves to a private channel, including administrators', async () => {
  const { ann, ben, olga } = await newWorld()
  await ann.does(api.subscribe, secret)
  await ben.isRefused(api.subscribe, named('secret'))
  await olga.isRefused(api.subscribe, named('secret'))
  const answer = await ben.does(api.subscribe, {
    subscriptions: [{ name: 'Secret' }, { name: 'open' }],
    authorization_errors_fatal: false,
  })
  assert.deepEqual(answer.unauthorized, ['Secret'])
  assert.deepEqual(answer.subscribed, { [ben.id]: ['open'] })
})

test('a fatal authorization error changes nothing, including the accessible channels', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, secret)
  await ben.isRefused(api.subscribe, { subscriptions: [{ name: 'new' }, { name: 'secret' }] })
  await ben.isRefused(channels.getChannelId, { stream: 'new' })
})

test('members of can_subscribe_group may subscribe', async () => {
  const { ann, ben, mona } = await newWorld()
  await ann.does(api.subscribe, {
    ...secret,
    can_subscribe_group: { direct_members: [ben.id], direct_subgroups: [] },
  })
  await mona.isRefused(api.subscribe, named('secret'))
  await ben.does(api.subscribe, named('secret'))
})

test('a subscriber may add others to a private channel; other users may not', async () => {
  const { ann, ben, mona, olga } = await newWorld()
  await ann.does(api.subscribe, secret)
  await olga.isRefused(api.subscribe, { ...named('secret'), principals: [mona.id] })
  await mona.registers()
  await ann.does(api.subscribe, { ...named('secret'), principals: [mona.id] })
  assert.deepEqual(
    (await mona.reads()).map((event) => ('op' in event ? `${event.type} ${event.op}` : event.type)),
    ['stream create', 'subscription add', 'message'],
  )
  await mona.does(api.subscribe, { ...named('secret'), principals: [ben.id] })
})

test("members of the channel's can_add_subscribers_group may add users without being subscribed", async () => {
  const { ann, ben, mona } = await newWorld()
  await ann.does(api.subscribe, {
    ...secret,
    can_add_subscribers_group: { direct_members: [ben.id], direct_subgroups: [] },
  })
  await ben.does(api.subscribe, { ...named('secret'), principals: [mona.id] })
})

test('a hidden channel is indistinguishable from a missing one', async () => {
  const { ann, ben, gus, adam } = await newWorld()
  await ann.does(api.subscribe, secret)
  await ann.does(api.subscribe, named('open'))
  const { stream_id } = await ann.does(channels.getChannelId, { stream: 'secret' })
  const open = await ann.does(channels.getChannelId, { stream: 'open' })
  const missing = 987_654_321
  for (const operation of [channels.getChannel, channels.getChannelMembers, channels.getTopics]) {
    const hidden = await ben.isRefused(operation, { path: { stream_id } })
    assert.deepEqual(hidden, await ben.isRefused(operation, { path: { stream_id: missing } }))
    assert.deepEqual(hidden, await gus.isRefused(operation, { path: { stream_id: open.stream_id } }))
  }
  const status = (channel: number) => ({ path: { user_id: ann.id, stream_id: channel } })
  assert.deepEqual(
    await ben.isRefused(api.getSubscriptionStatus, status(stream_id)),
    await ben.isRefused(api.getSubscriptionStatus, status(missing)),
  )
  assert.equal((await ben.isRefused(channels.getChannelId, { stream: 'secret' })).code, 'BAD_REQUEST')
  // Administrators can see the channel and its subscribers, but not its messages.
  assert.deepEqual((await adam.does(channels.getChannelMembers, { path: { stream_id } })).subscribers, [ann.id])
  await adam.isRefused(channels.getTopics, { path: { stream_id } })
})

test('sending to a hidden channel does not reveal its name', async () => {
  const { ann, ben, gus, adam } = await newWorld()
  await ann.does(api.subscribe, secret)
  await ann.does(api.subscribe, named('plaza'))
  const idOf = async (stream: string) => (await ann.does(channels.getChannelId, { stream })).stream_id
  const [hidden, open] = [await idOf('secret'), await idOf('plaza')]
  const text = { type: 'stream', topic: 't', content: 'x' }
  const later = { type: 'stream' as const, topic: 't', content: 'x', scheduled_delivery_timestamp: 4_000_000_000 }
  for (const [actor, to] of [
    [ben, hidden],
    [gus, hidden],
    [gus, open],
  ] as const) {
    const missing = {
      result: 'error',
      status: 400,
      code: 'STREAM_DOES_NOT_EXIST',
      msg: `Channel with ID '${to}' does not exist`,
      stream_id: to,
    }
    assert.deepEqual(await actor.isRefused(sendMessage, { ...text, to }), missing)
    assert.deepEqual(await actor.isRefused(scheduleMessage, { ...later, to }), missing)
  }
  assert.equal((await ben.isRefused(sendMessage, { ...text, to: 'Secret' })).msg, "Channel 'Secret' does not exist")
  assert.equal((await adam.isRefused(sendMessage, { ...text, to: hidden })).code, 'BAD_REQUEST')
})

test('channels of another organization do not exist', async () => {
  const [here, there] = [await newWorld(), await newWorld()]
  await here.ann.does(api.subscribe, named('x'))
  const { stream_id } = await here.ann.does(channels.getChannelId, { stream: 'x' })
  await there.olga.isRefused(channels.getChannel, { path: { stream_id } })
  await there.olga.isRefused(channels.getChannelId, { stream: 'x' })
  assert.deepEqual((await there.olga.does(channels.getChannels, { include_all: true })).streams, [])
})

test('with protected history, a user sees only the topics of received messages', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, secret)
  await ann.sends({ channel: 'secret', topic: 'before' })
  await ann.does(api.subscribe, { ...named('secret'), principals: [ben.id] })
  const during = await ann.sends({ channel: 'secret', topic: 'during' })
  const { stream_id } = await ann.does(channels.getChannelId, { stream: 'secret' })
  const topics = async (one: typeof ann) => (await one.does(channels.getTopics, { path: { stream_id } })).topics
  assert.deepEqual(await topics(ben), [{ name: 'during', max_id: during }])
  assert.deepEqual(
    (await topics(ann)).map(({ name }) => name),
    ['during', 'before', 'channel events'],
  )
  await ann.does(api.unsubscribe, { subscriptions: ['secret'] }).then(async () => {
    await ben.sends({ channel: 'secret', topic: 'away' })
    await ben.does(api.subscribe, { ...named('secret'), principals: [ann.id] })
  })
  assert.deepEqual(
    (await topics(ann)).map(({ name }) => name),
    ['during', 'before', 'channel events'],
  )
})
