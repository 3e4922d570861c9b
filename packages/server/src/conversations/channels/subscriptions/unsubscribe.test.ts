import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as channels from '@parley/api/conversations/channels'
import * as api from '@parley/api/conversations/subscriptions'
import type { Actor } from '../../../testing/actor.ts'
import { newWorld } from '../../../testing/world.ts'

const named = (name: string) => ({ subscriptions: [{ name }] })

async function opsOf(actor: Actor): Promise<string[]> {
  return (await actor.reads()).map((event) => ('op' in event ? `${event.type} ${event.op}` : event.type))
}

test('unsubscribing emits to the user and to everyone who can see the channel', async () => {
  const { ann, ben, gus } = await newWorld()
  await ann.does(api.subscribe, { ...named('x'), principals: [ann.id, ben.id] })
  for (const one of [ann, ben, gus]) await one.registers()
  const answer = await ben.does(api.unsubscribe, { subscriptions: ['X'] })
  assert.deepEqual([answer.removed, answer.not_removed], [['x'], []])
  assert.deepEqual(await opsOf(ann), ['subscription peer_remove'])
  assert.deepEqual(await opsOf(ben), ['update_message_flags add', 'subscription remove'])
  assert.deepEqual(await opsOf(gus), [])
})

test('unsubscribing without a subscription changes nothing and emits nothing', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, named('x'))
  await ann.registers()
  const answer = await ben.does(api.unsubscribe, { subscriptions: ['x'] })
  assert.deepEqual([answer.removed, answer.not_removed], [[], ['x']])
  assert.deepEqual(await ann.reads(), [])
})

test('the response lists a channel once per user who was unsubscribed and once per user who was not subscribed', async () => {
  const { ann, ben, mona, adam } = await newWorld()
  await ann.does(api.subscribe, { ...named('x'), principals: [ann.id, ben.id] })
  const principals = [ann.id, ben.id, mona.id]
  const answer = await adam.does(api.unsubscribe, { subscriptions: ['x'], principals })
  assert.deepEqual([answer.removed, answer.not_removed], [['x', 'x'], ['x']])
})

test('after unsubscribing no messages arrive or are unread, and resubscribing starts with none unread', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, { ...named('x'), principals: [ann.id, ben.id] })
  await ann.sends({ channel: 'x' })
  await ben.does(api.unsubscribe, { subscriptions: ['x'] })
  await ben.registers()
  await ann.sends({ channel: 'x' })
  assert.deepEqual(await ben.receives('message'), [])
  await ben.does(api.subscribe, named('x'))
  const id = await ann.sends({ channel: 'x' })
  assert.deepEqual(
    (await ben.receives('message')).map(({ message }) => message.id),
    [id],
  )
  const { unread_msgs } = (await ben.registers()) as unknown as {
    unread_msgs: { streams: { unread_message_ids: number[] }[] }
  }
  assert.deepEqual(
    unread_msgs.streams.map((one) => one.unread_message_ids),
    [[id]],
  )
})

test('unsubscribing from a private channel hides it, except from administrators', async () => {
  const { ann, ben, adam } = await newWorld()
  await ann.does(api.subscribe, { ...named('x'), invite_only: true, principals: [ann.id, ben.id, adam.id] })
  const { stream_id } = await ann.does(channels.getChannelId, { stream: 'x' })
  for (const one of [ann, ben, adam]) await one.registers()
  await ben.does(api.unsubscribe, { subscriptions: ['x'] })
  await adam.does(api.unsubscribe, { subscriptions: ['x'] })
  assert.deepEqual(await opsOf(ben), ['update_message_flags add', 'subscription remove', 'stream delete'])
  assert.deepEqual(await opsOf(adam), ['subscription peer_remove', 'update_message_flags add', 'subscription remove'])
  await ben.isRefused(channels.getChannel, { path: { stream_id } })
  await adam.does(channels.getChannel, { path: { stream_id } })
  // The creator administers the channel and so can still see it.
  await ann.reads()
  await ann.does(api.unsubscribe, { subscriptions: ['x'] })
  assert.ok(!(await opsOf(ann)).includes('stream delete'))
})

test('unsubscribing hides a public channel from a guest', async () => {
  const { ann, gus } = await newWorld()
  await ann.does(api.subscribe, { ...named('x'), principals: [gus.id] })
  await gus.registers()
  await gus.does(api.unsubscribe, { subscriptions: ['x'] })
  assert.equal((await opsOf(gus)).at(-1), 'stream delete')
})

test('administrators, channel administrators and can_remove_subscribers_group may unsubscribe others', async () => {
  const { ann, ben, mona, adam } = await newWorld()
  const all = [ann.id, ben.id, mona.id]
  const remover = { direct_members: [mona.id], direct_subgroups: [] }
  await ann.does(api.subscribe, { ...named('x'), principals: all, can_remove_subscribers_group: remover })
  const remove = (one: Actor) => ({ subscriptions: ['x'], principals: [one.id] })
  await ben.isRefused(api.unsubscribe, remove(mona))
  for (const one of [mona, ann, adam]) {
    assert.deepEqual((await one.does(api.unsubscribe, remove(ben))).removed, ['x'])
    await ben.does(api.subscribe, named('x'))
  }
})

test('a guest may unsubscribe nobody else, even if everyone may', async () => {
  const { ann, ben, gus, ctx, realmId } = await newWorld()
  const { realm } = await ctx.realms.get(realmId)
  const can_remove_subscribers_group = realm.systemGroups['role:everyone']
  const principals = [ann.id, gus.id]
  await ann.does(api.subscribe, { ...named('x'), principals, can_remove_subscribers_group })
  await gus.isRefused(api.unsubscribe, { subscriptions: ['x'], principals: [ann.id] })
  await ben.does(api.unsubscribe, { subscriptions: ['x'], principals: [ann.id] })
})

test('users may unsubscribe their own bots', async () => {
  const { ann, ben, mona, add } = await newWorld()
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ben.id })
  await ann.does(api.subscribe, { ...named('x'), principals: [bot.id] })
  await mona.isRefused(api.unsubscribe, { subscriptions: ['x'], principals: [bot.id] })
  assert.deepEqual((await ben.does(api.unsubscribe, { subscriptions: ['x'], principals: [bot.id] })).removed, ['x'])
})

test('unknown, hidden and archived channels are refused with the same error, and nothing changes', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  await ben.does(api.subscribe, { subscriptions: [{ name: 'mine' }, { name: 'old' }] })
  await ann.does(api.subscribe, { ...named('secret'), invite_only: true })
  await ctx.db
    .updateTable('channels')
    .set({ is_archived: true })
    .where('realm_id', '=', realmId)
    .where('name', '=', 'old')
    .execute()
  ctx.realms.drop(realmId)
  for (const name of ['nowhere', 'secret', 'old', 'a\u0000b', 'x'.repeat(10_000)])
    await ben.isRefused(api.unsubscribe, { subscriptions: ['mine', name] })
  await ben.isRefused(api.unsubscribe, { subscriptions: ['mine'], principals: [987_654_321] })
  await ben.isRefused(api.unsubscribe, {})
  assert.equal((await ben.does(api.getSubscriptions)).subscriptions.length, 1)
})

test('unsubscribing too many users at once is refused', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, named('x'))
  const names = Array.from({ length: 600 }, (_, n) => `c${n}`)
  const { msg } = await ann.isRefused(api.unsubscribe, { subscriptions: names, principals: [ann.id, ben.id] })
  assert.match(msg, /At most 1000/)
})
