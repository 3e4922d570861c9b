import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getChannelId } from '@parley/api/conversations/channels'
import * as api from '@parley/api/conversations/subscriptions'
import type { Actor } from '../../../testing/actor.ts'
import { configureRealm } from '../../../testing/configure-realm.ts'
import { newWorld } from '../../../testing/world.ts'

const verona = { subscriptions: [{ name: 'verona' }] }

async function colorOf(actor: Actor, name: string): Promise<string | undefined> {
  const { subscriptions } = await actor.does(api.getSubscriptions)
  return subscriptions.find((one) => one.name === name)?.color
}

test('subscribing to a missing channel creates it and emits it to everyone but guests', async () => {
  const { ann, ben, gus } = await newWorld()
  for (const one of [ann, ben, gus]) await one.registers()

  const answer = await ann.does(api.subscribe, { subscriptions: [{ name: 'verona', description: 'two\nhouses' }] })

  assert.deepEqual(answer.subscribed, { [ann.id]: ['verona'] })
  assert.deepEqual(answer.already_subscribed, {})
  const [created] = await ben.receives('stream')
  assert.ok(created?.op === 'create')
  assert.equal(created.streams[0]?.name, 'verona')
  assert.equal(created.streams[0]?.description, 'two houses')
  assert.equal(created.streams[0]?.rendered_description, '<p>two houses</p>')
  assert.deepEqual(created.streams[0]?.can_administer_channel_group, { direct_members: [ann.id], direct_subgroups: [] })
  const received = async (one: Actor) => (await one.receives('subscription')).map(({ op }) => op)
  assert.deepEqual(await received(ben), ['peer_add'])
  assert.deepEqual(await received(ann), ['add'])
  assert.deepEqual(await received(gus), [])
  assert.deepEqual(await gus.receives('stream'), [])
})

test('a new subscriber receives the channel, and other users receive a peer_add event', async () => {
  const { ann, ben, mona } = await newWorld()
  await ann.does(api.subscribe, verona)
  for (const one of [ben, mona]) await one.registers()

  const { subscribed } = await ben.does(api.subscribe, { subscriptions: [{ name: ' VERONA ' }] })

  assert.deepEqual(subscribed, { [ben.id]: ['verona'] })
  const [added] = await ben.receives('subscription')
  assert.ok(added?.op === 'add')
  assert.deepEqual(added.subscriptions[0]?.subscribers, [ann.id, ben.id])
  assert.deepEqual(await ben.receives('stream'), [])
  const [peer] = await mona.receives('subscription')
  assert.ok(peer?.op === 'peer_add')
  assert.deepEqual(peer.user_ids, [ben.id])
  assert.deepEqual(peer.stream_ids, [added.subscriptions[0]?.stream_id])
})

test('subscribing again changes nothing and emits nothing', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, verona)
  await ben.registers()
  await ann.registers()
  const answer = await ann.does(api.subscribe, verona)
  assert.deepEqual(answer.subscribed, {})
  assert.deepEqual(answer.already_subscribed, { [ann.id]: ['verona'] })
  assert.deepEqual([...(await ann.reads()), ...(await ben.reads())], [])
})

test('other users can be subscribed by id, by email and by the fake email of a hidden one', async () => {
  const { ann, ben, mona, adam, host } = await newWorld()
  const principals = [ben.id, mona.credentials.email.toUpperCase(), `user${adam.id}@${host}`]
  const { subscribed } = await ann.does(api.subscribe, { ...verona, principals })
  assert.deepEqual(Object.keys(subscribed).map(Number).sort(), [adam.id, mona.id, ben.id].sort())
  assert.deepEqual((await ann.does(api.getSubscriptions)).subscriptions, [])
})

test('users subscribed by another user are notified by direct message', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, verona)
  for (const one of [ann, ben]) await one.registers()
  await ann.does(api.subscribe, { ...verona, principals: [ann.id, ben.id] })
  const direct = (await ben.receives('message')).filter(({ message }) => message.type === 'private')
  assert.equal(direct.length, 1)
  assert.match(direct[0]!.message.content, /@_\*\*Ann\|\d+\*\* subscribed you to #\*\*verona\*\*/)
  assert.equal((await ann.receives('message')).filter(({ message }) => message.type === 'private').length, 0)
})

test('initial subscribers get the first message of a channel, which is read for its creator', async () => {
  const { ann, ben } = await newWorld()
  for (const one of [ann, ben]) await one.registers({ apply_markdown: false })
  const subscriptions = [{ name: 'verona', description: 'where we *lay* our scene' }]
  await ann.does(api.subscribe, { subscriptions, principals: [ann.id, ben.id] })
  const [notice, ...more] = await ben.receives('message')
  assert.deepEqual([notice!.message.subject, notice!.flags, more], ['channel events', [], []])
  assert.match(notice!.message.content, /^@_\*\*Ann\|\d+\*\* created this channel.*where we \*lay\* our scene/s)
  const [known] = await ann.receives('message')
  assert.deepEqual(known!.flags, ['read'])
  assert.deepEqual((await ann.registers()).unread_msgs!.streams, [])
})

test('bots and large numbers of users get no direct message', async () => {
  const { ann, ben, add, realmId, ctx } = await newWorld()
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  await bot.registers()
  await ann.does(api.subscribe, { ...verona, principals: [bot.id] })
  assert.equal((await bot.receives('message')).filter(({ message }) => message.type === 'private').length, 0)

  const crowd = []
  for (let n = 0; n < 100; n++) crowd.push((await add(`extra${n}`)).id)
  await ben.registers()
  await ann.does(api.subscribe, { ...verona, principals: [...crowd, ben.id] })
  assert.equal((await ben.receives('message')).length, 0)
  const events = await ctx.db
    .selectFrom('events')
    .select('seq')
    .where('realm_id', '=', realmId)
    .where('payload', 'like', '{"type":"subscription","op":"add"%')
    .execute()
  assert.equal(events.length, 2, 'a hundred equal subscriptions are one event')
})

test('an unknown, deactivated or foreign principal is refused and nothing changes', async () => {
  const { ann, ben, ctx } = await newWorld()
  const elsewhere = await newWorld()
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', ben.id).execute()
  for (const one of [999_999_999, 'nobody@example.com', elsewhere.ann.id, ben.id])
    await ann.isRefused(api.subscribe, { ...verona, principals: [ann.id, one] })
  await ann.isRefused(getChannelId, { stream: 'verona' })
})

test('system bots cannot be subscribed', async () => {
  const { ann, host } = await newWorld()
  await ann.isRefused(api.subscribe, { ...verona, principals: [`notification-bot@${host}`] })
})

test('guests can neither create channels nor subscribe to public ones', async () => {
  const { ann, gus } = await newWorld()
  await ann.does(api.subscribe, verona)
  await gus.isRefused(api.subscribe, verona)
  await gus.isRefused(api.subscribe, { subscriptions: [{ name: 'new' }] })
})

test('a guest who is subscribed by another user receives the channel, then the subscription', async () => {
  const { ann, gus } = await newWorld()
  await ann.does(api.subscribe, verona)
  await gus.registers()
  await ann.does(api.subscribe, { ...verona, principals: [gus.id] })
  const types = (await gus.reads()).map((event) => `${event.type} ${'op' in event ? event.op : ''}`.trim())
  assert.deepEqual(types, ['stream create', 'subscription add', 'message'])
})

test('a guest who is subscribed receives new peers', async () => {
  const { ann, ben, gus } = await newWorld()
  await ann.does(api.subscribe, { ...verona, principals: [ann.id, gus.id] })
  await gus.registers()
  await ben.does(api.subscribe, verona)
  assert.deepEqual(
    (await gus.receives('subscription')).map(({ op }) => op),
    ['peer_add'],
  )
})

/** Takes the permission to subscribe others from everyone. */
async function closed() {
  const world = await newWorld()
  await configureRealm(world, {}, { can_add_subscribers_group: 'role:nobody' })
  return world
}

test('subscribing others requires the permission, whether or not authorization errors are fatal', async () => {
  const { ann, ben, mona } = await closed()
  await ann.does(api.subscribe, verona)
  for (const authorization_errors_fatal of [true, false]) {
    const params = { ...verona, principals: [mona.id], authorization_errors_fatal }
    assert.equal((await ben.isRefused(api.subscribe, params)).msg, 'Insufficient permission')
  }
})

test('administrators of the channel and of the organization may subscribe others', async () => {
  const { ann, ben, adam, mona } = await closed()
  await ann.does(api.subscribe, verona)
  await ann.does(api.subscribe, { ...verona, principals: [ben.id] })
  await adam.does(api.subscribe, { ...verona, principals: [mona.id] })
})

test('the creator of a channel may subscribe any user to it', async () => {
  const { ann, ben, mona } = await closed()
  const principals = [ann.id, ben.id]
  const nobody = { direct_members: [], direct_subgroups: [] }
  await ann.does(api.subscribe, { ...verona, principals, can_administer_channel_group: nobody })
  await ann.isRefused(api.subscribe, { ...verona, principals: [mona.id] })
})

test('unused colors are assigned first, can be requested, and are kept when resubscribing', async () => {
  const { ann } = await newWorld()
  await ann.does(api.subscribe, { subscriptions: [{ name: 'a' }, { name: 'b' }, { name: 'c', color: '#ABC' }] })
  assert.equal(await colorOf(ann, 'a'), '#76ce90')
  assert.equal(await colorOf(ann, 'b'), '#fae589')
  assert.equal(await colorOf(ann, 'c'), '#aabbcc')
  await ann.does(api.unsubscribe, { subscriptions: ['a'] })
  await ann.does(api.subscribe, { subscriptions: [{ name: 'd' }] })
  assert.equal(await colorOf(ann, 'd'), '#a6c7e5')
  await ann.does(api.subscribe, { subscriptions: [{ name: 'a', color: '#000000' }] })
  assert.equal(await colorOf(ann, 'a'), '#76ce90')
})

test('colors are reused once all are taken', async () => {
  const { ann } = await newWorld()
  const subscriptions = Array.from({ length: 30 }, (_, n) => ({ name: `c${n}` }))
  await ann.does(api.subscribe, { subscriptions })
  const { subscriptions: own } = await ann.does(api.getSubscriptions)
  assert.equal(new Set(own.map(({ color }) => color)).size, 24)
})

test('messages sent before a user subscribed are read for that user', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, verona)
  await ann.sends({ channel: 'verona' })
  await ben.does(api.subscribe, verona)
  const later = await ann.sends({ channel: 'verona' })
  const { unread_msgs } = (await ben.registers()) as unknown as { unread_msgs: { streams: object[] } }
  assert.deepEqual(
    unread_msgs.streams.map((one) => (one as { unread_message_ids: number[] }).unread_message_ids),
    [[later]],
  )
})

test('malformed subscriptions are refused', async () => {
  const { ann } = await newWorld()
  const names = ['', '   ', 'x'.repeat(61), 'a\u0000b', 'tab\there', '\ud800']
  for (const name of names) await ann.isRefused(api.subscribe, { subscriptions: [{ name }] })
  for (const subscriptions of ['verona', [{}], [{ name: 7 }], [{ name: 'x', color: 'red' }], { name: 'x' }])
    await ann.isRefused(api.subscribe, { subscriptions })
  await ann.isRefused(api.subscribe, { subscriptions: [{ name: 'x', description: 'd'.repeat(1025) }] })
  await ann.isRefused(api.subscribe, { ...verona, principals: [{}] })
  await ann.isRefused(api.subscribe)
  assert.deepEqual((await ann.does(api.getSubscriptions)).subscriptions, [])
})

test('duplicate channel names in a request are ignored', async () => {
  const { ann } = await newWorld()
  const { subscribed } = await ann.does(api.subscribe, { subscriptions: [{ name: 'x' }, { name: 'X' }] })
  assert.deepEqual(subscribed, { [ann.id]: ['x'] })
})

test('an empty list subscribes to nothing', async () => {
  const { ann } = await newWorld()
  assert.deepEqual((await ann.does(api.subscribe, { subscriptions: [] })).subscribed, {})
})
