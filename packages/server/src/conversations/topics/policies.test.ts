import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { archiveChannel, updateChannel } from '@parley/api/conversations/channels'
import * as messages from '@parley/api/conversations/messages'
import * as reactions from '@parley/api/conversations/reactions'
import * as api from '@parley/api/conversations/topics'
import * as queues from '@parley/api/delivery/queues'
import { updateUser } from '@parley/api/identity/accounts'
import * as groups from '@parley/api/organization/groups'
import type { Actor } from '../../testing/actor.ts'
import { inChannel, joins, leaves } from '../../testing/channels.ts'
import { edits } from '../../testing/editing.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'

const empty = { client_capabilities: { notification_settings_null: true, empty_topic_name: true } }

async function policiesOf(actor: Actor): Promise<string[]> {
  const { user_topics } = await actor.does(queues.register, { fetch_event_types: ['user_topic'], ...empty })
  return user_topics!.map(({ topic_name, visibility_policy }) => `${topic_name}: ${visibility_policy}`)
}

/** A channel whose subscribers have turned off automatic policies. */
async function setUp() {
  const world = await newWorld()
  const { ann, ben, gus } = world
  for (const one of [ann, ben, gus])
    await setUser(world, one, {
      automatically_follow_topics_policy: 4,
      automatically_unmute_topics_in_muted_streams_policy: 4,
      automatically_follow_topics_where_mentioned: false,
    })
  const stream_id = await inChannel('verona', [ann, ben, gus])
  return { ...world, stream_id }
}

async function setUser({ ctx, realmId }: World, user: Actor, settings: object) {
  await ctx.db
    .updateTable('users')
    .set({ settings: JSON.stringify(settings) })
    .where('id', '=', user.id)
    .execute()
  ctx.realms.drop(realmId)
}

async function muteChannel({ ctx, realmId }: World, user: Actor) {
  const rows = ctx.db.updateTable('subscriptions').set({ is_muted: true })
  await rows.where('realm_id', '=', realmId).where('user_id', '=', user.id).execute()
  ctx.realms.drop(realmId)
}

const sets = (actor: Actor, stream_id: number, topic: string, visibility_policy: 0 | 1 | 2 | 3) =>
  actor.does(api.setTopicPolicy, { stream_id, topic, visibility_policy })

test('a user can mute, unmute, follow and reset a topic, and only this user receives the events', async () => {
  const { ann, ben, stream_id } = await setUp()
  await ann.sends({ channel: 'verona', topic: 'Castle' })
  await ann.registers()
  await ben.registers()
  for (const policy of [1, 2, 3] as const) {
    await sets(ann, stream_id, 'castle', policy)
    assert.deepEqual(await policiesOf(ann), [`castle: ${policy}`])
  }
  await sets(ann, stream_id, 'CASTLE', 0)
  assert.deepEqual(await policiesOf(ann), [])
  const received = (await ann.receives('user_topic')).map(
    ({ topic_name, visibility_policy }) => `${topic_name} ${visibility_policy}`,
  )
  assert.deepEqual(received, ['castle 1', 'castle 2', 'castle 3', 'CASTLE 0'])
  const muted = (await ann.receives('muted_topics')).map(({ muted_topics }) =>
    muted_topics.map(([channel, topic]) => `${channel} ${topic}`),
  )
  assert.deepEqual(muted, [['verona castle'], [], [], []])
  assert.deepEqual(await ben.receives('user_topic'), [])
})

test('setting the current policy again emits nothing', async () => {
  const { ann, stream_id } = await setUp()
  await sets(ann, stream_id, 'a', 1)
  await ann.registers()
  await sets(ann, stream_id, 'a', 1)
  await sets(ann, stream_id, 'b', 0)
  assert.deepEqual(await ann.reads(), [])
})

test('a topic without messages can be followed', async () => {
  const { ann, ben, stream_id } = await setUp()
  await sets(ann, stream_id, 'Future', 3)
  await ben.sends({ channel: 'verona', topic: 'future' })
  assert.deepEqual(await policiesOf(ann), ['Future: 3'])
})

test('the display name of the empty topic means the empty topic', async () => {
  const { ann, stream_id } = await setUp()
  await sets(ann, stream_id, 'general chat', 1)
  assert.deepEqual(await policiesOf(ann), [': 1'])
})

test('policies are refused for topics of unreadable channels', async () => {
  const { ann, ben, stream_id } = await setUp()
  const hidden = await inChannel('den', [ann, ben], { invite_only: true })
  await sets(ben, hidden, 'a', 1)
  const { mona } = await newWorld()
  const missing = await ben.isRefused(api.setTopicPolicy, { stream_id: 999_999, topic: 'a', visibility_policy: 1 })
  assert.equal(missing.code, 'BAD_REQUEST')
  assert.deepEqual(await mona.isRefused(api.setTopicPolicy, { stream_id, topic: 'a', visibility_policy: 1 }), missing)
  assert.deepEqual(await mona.isRefused(api.setTopicPolicy, { stream_id, topic: 'a', visibility_policy: 0 }), missing)
  await leaves(ben, 'den')
  await ben.isRefused(api.setTopicPolicy, { stream_id: hidden, topic: 'b', visibility_policy: 1 })
  await sets(ben, hidden, 'a', 0)
  for (const wrong of [{ visibility_policy: 4 }, { topic: 'x'.repeat(61) }, { stream_id: 0 }])
    await ann.isRefused(api.setTopicPolicy, { stream_id, topic: 'a', visibility_policy: 1, ...wrong })
})

test('the legacy endpoint mutes and unmutes topics, by channel name or id', async () => {
  const { ann, stream_id } = await setUp()
  await ann.does(api.muteTopic, { stream: 'verona', topic: 'a', op: 'add' })
  await ann.does(api.muteTopic, { stream_id, topic: 'b', op: 'add' })
  assert.deepEqual(await policiesOf(ann), ['a: 1', 'b: 1'])
  await ann.does(api.muteTopic, { stream_id, topic: 'a', op: 'remove' })
  await ann.does(api.muteTopic, { stream_id, topic: 'a', op: 'remove' })
  assert.deepEqual(await policiesOf(ann), ['b: 1'])
  const both = await ann.isRefused(api.muteTopic, { stream: 'verona', stream_id, topic: 'a', op: 'add' })
  assert.equal(both.parameters, 'stream_id, stream')
  await ann.isRefused(api.muteTopic, { topic: 'a', op: 'add' })
  await ann.isRefused(api.muteTopic, { stream: 'nowhere', topic: 'a', op: 'add' })
})

test('clients that ask for user_topic events do not get muted_topics events', async () => {
  const { ann, stream_id } = await setUp()
  await ann.registers({ event_types: ['user_topic', 'muted_topics'] })
  await sets(ann, stream_id, 'a', 1)
  assert.deepEqual(
    (await ann.reads()).map(({ type }) => type),
    ['user_topic'],
  )
})

test('users who start a topic follow it, unless their settings say otherwise; the response contains the policy', async () => {
  const world = await setUp()
  const { ann } = world
  await ann.sends({ channel: 'verona', topic: 'a' })
  assert.deepEqual(await policiesOf(ann), [])
  await setUser(world, ann, {})
  const send = (topic: string) => ann.does(messages.sendMessage, { type: 'stream', to: 'verona', topic, content: 'x' })
  assert.equal((await send('a')).automatic_new_visibility_policy, undefined)
  assert.equal((await send('b')).automatic_new_visibility_policy, 3)
  assert.equal((await send('b')).automatic_new_visibility_policy, undefined)
  assert.deepEqual(await policiesOf(ann), ['b: 3'])
})

test('the response contains the policy also if the message mentions its sender', async () => {
  const world = await setUp()
  const { ann } = world
  await setUser(world, ann, {})
  const content = `@**Ann|${ann.id}** remember this`
  const { automatic_new_visibility_policy } = await ann.does(messages.sendMessage, {
    type: 'stream',
    to: 'verona',
    topic: 'a',
    content,
  })
  assert.equal(automatic_new_visibility_policy, 3)
  assert.deepEqual(await policiesOf(ann), ['a: 3'])
})

test('users who follow topics they send to do so with every message, even in a muted topic', async () => {
  const world = await setUp()
  const { ann, ben, stream_id } = world
  await ann.sends({ channel: 'verona', topic: 'a' })
  await setUser(world, ben, { automatically_follow_topics_policy: 2 })
  await sets(ben, stream_id, 'a', 1)
  await ben.sends({ channel: 'verona', topic: 'a' })
  assert.deepEqual(await policiesOf(ben), ['a: 3'])
})

test('sending to a topic of a muted channel unmutes the topic, unless it is followed', async () => {
  const world = await setUp()
  const { ann, ben, stream_id } = world
  for (const topic of ['a', 'b']) await ann.sends({ channel: 'verona', topic })
  await setUser(world, ben, {})
  await ben.sends({ channel: 'verona', topic: 'a' })
  assert.deepEqual(await policiesOf(ben), [], 'the channel is not muted')
  await muteChannel(world, ben)
  await sets(ben, stream_id, 'b', 3)
  for (const topic of ['a', 'b']) await ben.sends({ channel: 'verona', topic })
  assert.deepEqual(await policiesOf(ben), ['a: 2', 'b: 3'])
})

test('mentioned users follow the topic, unless they muted it or their settings say otherwise', async () => {
  const world = await setUp()
  const { ann, ben, gus, stream_id } = world
  await setUser(world, ben, {})
  await sets(ben, stream_id, 'muted', 1)
  for (const topic of ['a', 'muted']) await ann.sends({ channel: 'verona', topic, content: '@**Ben** @**Gus**' })
  assert.deepEqual(await policiesOf(ben), ['a: 3', 'muted: 1'])
  assert.deepEqual(await policiesOf(gus), [])
})

test('reacting counts as participating in the topic', async () => {
  const world = await setUp()
  const { ann, ben } = world
  const message_id = await ann.sends({ channel: 'verona', topic: 'a' })
  await ben.does(reactions.addReaction, { path: { message_id }, emoji_name: 'tada' })
  assert.deepEqual(await policiesOf(ben), [])
  await setUser(world, ben, { automatically_follow_topics_policy: 1 })
  await ben.does(reactions.addReaction, { path: { message_id }, emoji_name: '+1' })
  assert.deepEqual(await policiesOf(ben), ['a: 3'])
})

test('bots do not follow topics automatically', async () => {
  const { ann, add } = await setUp()
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  await bot.sends({ channel: 'verona', topic: 'fresh' })
  assert.deepEqual(await policiesOf(bot), [])
})

test('policy events lead to the same state as a new snapshot', async () => {
  const { ann, ben, gus, stream_id } = await setUp()
  await ann.sends({ channel: 'verona', topic: 'b', content: '@**Ben**' })
  await sets(ben, stream_id, 'a', 1)
  for (const [topic, policy] of [
    ['b', 1],
    ['b', 2],
    ['a', 3],
    ['', 1],
    ['a', 0],
  ] as const)
    await verifyEvents([ann, ben, gus], () => sets(ben, stream_id, topic, policy))
})

test('events keep muted topics correct when their channel is renamed', async () => {
  const { olga, ben, stream_id } = await setUp()
  await sets(ben, stream_id, 'a', 1)
  await verifyEvents([ben], () => olga.does(updateChannel, { path: { stream_id }, new_name: 'padua' }))
})

test('events and state repeat the spelling of the request', async () => {
  const { ann, ben, stream_id } = await setUp()
  await ann.sends({ channel: 'verona', topic: 'Balcony' })
  await verifyEvents([ben], () => sets(ben, stream_id, 'BALCONY', 1))
  assert.deepEqual(await policiesOf(ben), ['BALCONY: 1'])
  await ben.registers()
  await sets(ben, stream_id, 'balcony', 0)
  assert.equal((await ben.receives('user_topic'))[0]?.topic_name, 'balcony')
})

test('users can remove a policy in a channel they can no longer read', async () => {
  const { ann, ben } = await setUp()
  const stream_id = await inChannel('plot', [ann, ben], { invite_only: true })
  await leaves(ben, 'plot')
  await sets(ben, stream_id, 'feud', 0)
  await ben.does(api.muteTopic, { stream_id, topic: 'feud', op: 'remove' })
  await ben.isRefused(api.setTopicPolicy, { stream_id, topic: 'feud', visibility_policy: 1 })
})

test('users who lose access to a channel lose its topic policies and receive the events', async () => {
  const { olga, ann, ben, gus, mona } = await setUp()
  const stream_id = await inChannel('padua', [ann, gus])
  for (const reader of [ann, ben, mona]) await sets(reader, stream_id, 'feud', 1)
  await verifyEvents([ann, ben], () => olga.does(updateChannel, { path: { stream_id }, is_private: true }))
  assert.deepEqual(await policiesOf(ben), [])
  assert.deepEqual(await policiesOf(ann), ['feud: 1'])
})

test('a member who becomes a guest loses the policies for channels without a subscription', async () => {
  const { olga, ann, ben, stream_id } = await setUp()
  const other = await inChannel('padua', [ann])
  await sets(ben, stream_id, 'feud', 3)
  await sets(ben, other, 'feud', 1)
  await verifyEvents([ben], () => olga.does(updateUser, { path: { user_id: ben.id }, role: roles.guest }))
  assert.deepEqual(await policiesOf(ben), ['feud: 3'])
})

/** A private channel that Ben may read through a group, where he muted a topic. */
async function mutesThroughGroup() {
  const world = await setUp()
  const { olga, adam, ann, ben } = world
  const { group_id } = await olga.does(groups.createUserGroup, { name: 'readers', description: '', members: [ben.id] })
  const stream_id = await inChannel('den', [ann, adam], { invite_only: true, can_subscribe_group: group_id })
  const message_id = await ann.sends({ channel: 'den', topic: 'feud' })
  await sets(ben, stream_id, 'feud', 1)
  return { ...world, group_id, stream_id, message_id }
}

test('users who lose access through a group lose the topic policies', async () => {
  const { olga, ann, ben, group_id } = await mutesThroughGroup()
  const path = { user_group_id: group_id }
  await verifyEvents([ann, ben], () => olga.does(groups.updateUserGroupMembers, { path, delete: [ben.id] }))
  assert.deepEqual(await policiesOf(ben), [])
})

test('users who lose access because a permission of the channel changes lose the topic policies', async () => {
  const { ann, ben, stream_id } = await mutesThroughGroup()
  const nobody = { direct_members: [], direct_subgroups: [] }
  await verifyEvents([ann, ben], () =>
    ann.does(updateChannel, { path: { stream_id }, can_subscribe_group: { new: nobody } }),
  )
  assert.deepEqual(await policiesOf(ben), [])
})

test('a policy comes back when access comes back: by subscribing, a group, a role, or when the channel becomes public', async () => {
  const { olga, adam, ann, ben, group_id, stream_id } = await mutesThroughGroup()
  const path = { user_group_id: group_id }
  const members = (change: object) => olga.does(groups.updateUserGroupMembers, { path, ...change })
  const becomes = (role: number) => olga.does(updateUser, { path: { user_id: ben.id }, role: role as never })
  const privacy = (is_private: boolean) => adam.does(updateChannel, { path: { stream_id }, is_private })
  for (const [gain, lose] of [
    [async () => {}, () => becomes(roles.guest)],
    [() => becomes(roles.member), () => members({ delete: [ben.id] })],
    [() => members({ add: [ben.id] }), () => members({ delete: [ben.id] })],
    [() => privacy(false), () => privacy(true)],
    [() => inChannel('den', [ann, ben]), () => leaves(ben, 'den')],
  ] as const) {
    await verifyEvents([ann, ben], gain)
    assert.deepEqual(await policiesOf(ben), ['feud: 1'])
    await verifyEvents([ann, ben], lose)
    assert.deepEqual(await policiesOf(ben), [])
  }
})

test('a topic that was renamed while a user had no access does not show them its new name', async () => {
  const { olga, ann, ben, group_id, message_id } = await mutesThroughGroup()
  const path = { user_group_id: group_id }
  await olga.does(groups.updateUserGroupMembers, { path, delete: [ben.id] })
  await edits(ann, message_id, { topic: 'secret feud', propagate_mode: 'change_all' })
  await olga.does(groups.updateUserGroupMembers, { path, add: [ben.id] })
  assert.deepEqual(await policiesOf(ben), [])
})

test('a user who leaves a private channel but may still read it keeps the topic policies', async () => {
  const { ben } = await mutesThroughGroup()
  await joins(ben, 'den')
  await leaves(ben, 'den')
  assert.deepEqual(await policiesOf(ben), ['feud: 1'])
})

test('a moved topic takes no policies along to users who cannot read it, and they do not learn its name', async () => {
  const { ctx, realmId, ann, ben, group_id, message_id } = await mutesThroughGroup()
  await ctx.db.deleteFrom('group_members').where('group_id', '=', group_id).execute()
  ctx.realms.drop(realmId)
  await ben.registers()
  await edits(ann, message_id, { topic: 'secret feud', propagate_mode: 'change_all' })
  assert.deepEqual([...(await ben.receives('user_topic')), ...(await policiesOf(ben))], [])
})

test('a topic that moves to a channel takes only the policies of its readers along', async () => {
  const { adam, ann, ben, stream_id, message_id } = await mutesThroughGroup()
  const cellar = await inChannel('cellar', [adam, ann], { invite_only: true })
  await ben.registers()
  await edits(adam, message_id, { stream_id: cellar, topic: 'secret feud', propagate_mode: 'change_all' })
  const [change, ...more] = await ben.receives('user_topic')
  assert.deepEqual([change?.stream_id, change?.topic_name, change?.visibility_policy, more], [stream_id, 'feud', 0, []])
  assert.deepEqual(await policiesOf(ben), [])
})

test('policies for an archived channel are hidden until it is unarchived', async () => {
  const { olga, ben, stream_id } = await setUp()
  await sets(ben, stream_id, 'feud', 1)
  await verifyEvents([ben], () => olga.does(archiveChannel, { path: { stream_id } }))
  assert.deepEqual(await policiesOf(ben), [])
  await verifyEvents([ben], () => olga.does(updateChannel, { path: { stream_id }, is_archived: false }))
  assert.deepEqual(await policiesOf(ben), ['feud: 1'])
})
