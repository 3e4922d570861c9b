import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/channels'
import * as subscriptions from '@parley/api/conversations/subscriptions'
import type { Actor } from '../../testing/actor.ts'
import { openToWeb } from '../../testing/channels.ts'
import { newWorld, type World } from '../../testing/world.ts'

const named = (...names: string[]) => ({ subscriptions: names.map((name) => ({ name })) })

/** Creates a channel of each type: olga's is web-public, the others are ann's. */
async function withChannels(): Promise<World> {
  const world = await newWorld()
  await world.ann.does(subscriptions.subscribe, named('public'))
  await world.ann.does(subscriptions.subscribe, { ...named('secret'), invite_only: true })
  await world.ann.does(subscriptions.subscribe, {
    ...named('inviting'),
    invite_only: true,
    can_subscribe_group: { direct_members: [world.ben.id], direct_subgroups: [] },
  })
  await world.olga.does(subscriptions.subscribe, named('web'))
  await openToWeb(world, 'web')
  return world
}

async function names(actor: Actor, filters = {}): Promise<string[]> {
  return (await actor.does(api.getChannels, filters)).streams.map(({ name }) => name)
}

test('the list contains public and subscribed channels, sorted by name', async () => {
  const { ann, ben, gus, olga } = await withChannels()
  assert.deepEqual(await names(ann), ['inviting', 'public', 'secret', 'web'])
  assert.deepEqual(await names(ben), ['public', 'web'])
  assert.deepEqual(await names(olga), ['public', 'web'])
  assert.deepEqual(await names(gus), [])
})

test('each filter adds its type of channel', async () => {
  const { ann, ben, gus, olga, mona } = await withChannels()
  const none = { include_public: false, include_subscribed: false }
  assert.deepEqual(await names(ben, none), [])
  assert.deepEqual(await names(ann, { include_public: false }), ['inviting', 'public', 'secret'])
  assert.deepEqual(await names(gus, { ...none, include_web_public: true }), ['web'])
  assert.deepEqual(await names(ben, { ...none, include_can_access_content: true }), ['inviting', 'public', 'web'])
  assert.deepEqual(await names(olga, { ...none, include_can_access_content: true }), ['public', 'web'])
  assert.deepEqual(await names(olga, { ...none, include_all: true }), ['inviting', 'public', 'secret', 'web'])
  assert.deepEqual(await names(mona, { ...none, include_all: true }), ['public', 'web'])
  assert.deepEqual(await names(gus, { ...none, include_all: true }), ['web'])
})

test("a bot may list its owner's channels", async () => {
  const { ann, add } = await withChannels()
  const bot = await add('robot', 400, { bot_type: 1, bot_owner_id: ann.id })
  const filters = { include_public: false, include_owner_subscribed: true }
  assert.deepEqual(await names(bot, filters), ['inviting', 'public', 'secret'])
  assert.deepEqual(
    await names(ann, { include_public: false, include_subscribed: false, include_owner_subscribed: true }),
    [],
  )
})

test('archived channels and the default flag are included on request', async () => {
  const { ann, adam, ctx, realmId } = await withChannels()
  await adam.does(subscriptions.subscribe, { ...named('hello'), is_default_stream: true })
  await ctx.db
    .updateTable('channels')
    .set({ is_archived: true })
    .where('realm_id', '=', realmId)
    .where('name', '=', 'public')
    .execute()
  ctx.realms.drop(realmId)
  assert.deepEqual(await names(ann), ['hello', 'inviting', 'secret', 'web'])
  const { streams } = await ann.does(api.getChannels, { exclude_archived: false, include_default: true })
  assert.deepEqual(
    streams.map(({ name, is_default, is_archived }) => [name, is_default, is_archived]),
    [
      ['hello', true, false],
      ['inviting', false, false],
      ['public', false, true],
      ['secret', false, false],
      ['web', false, false],
    ],
  )
  assert.equal((await ann.does(api.getChannels)).streams[0]?.is_default, undefined)
})

test('members are listed by id, without deactivated users', async () => {
  const { ann, ben, mona, gus, ctx } = await withChannels()
  await ann.does(subscriptions.subscribe, { ...named('public'), principals: [mona.id, ben.id] })
  const { stream_id } = await ann.does(api.getChannelId, { stream: 'public' })
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', mona.id).execute()
  assert.deepEqual((await ben.does(api.getChannelMembers, { path: { stream_id } })).subscribers, [ann.id, ben.id])
  await gus.isRefused(api.getChannelMembers, { path: { stream_id } })
})

test('a client can ask whether a user is subscribed', async () => {
  const { ann, ben } = await withChannels()
  const { stream_id } = await ann.does(api.getChannelId, { stream: 'public' })
  const status = async (user_id: number) =>
    (await ben.does(subscriptions.getSubscriptionStatus, { path: { user_id, stream_id } })).is_subscribed
  assert.equal(await status(ann.id), true)
  assert.equal(await status(ben.id), false)
  await ben.isRefused(subscriptions.getSubscriptionStatus, { path: { user_id: 987_654_321, stream_id } })
})

test('the channels in common are those that both users are subscribed to', async () => {
  const { ann, ben, gus } = await withChannels()
  const common = async (user: typeof ann, other: typeof ann) =>
    (await user.does(subscriptions.getCommonChannels, { path: { user_id: other.id } })).stream_ids
  const before = await common(ben, ann)
  await ben.does(subscriptions.subscribe, named('public'))
  const { stream_id } = await ann.does(api.getChannelId, { stream: 'public' })
  assert.ok(!before.includes(stream_id))
  assert.deepEqual(
    await common(ben, ann),
    [...before, stream_id].sort((a, b) => a - b),
  )
  assert.deepEqual(await common(ann, ben), await common(ben, ann))
  assert.ok(!(await common(gus, ann)).includes(stream_id))
})

test('own subscriptions include subscribers on request', async () => {
  const { ann, ben } = await withChannels()
  await ben.does(subscriptions.subscribe, named('public'))
  const plain = await ben.does(subscriptions.getSubscriptions)
  assert.equal(plain.subscriptions[0]?.subscribers, undefined)
  const full = await ben.does(subscriptions.getSubscriptions, { include_subscribers: true })
  assert.deepEqual(full.subscriptions[0]?.subscribers, [ann.id, ben.id])
})

test('topics come with their newest message, newest first, and each name once', async () => {
  const { ann, ben } = await withChannels()
  const { stream_id } = await ann.does(api.getChannelId, { stream: 'public' })
  await ann.sends({ channel: 'public', topic: 'one' })
  const nameless = await ann.sends({ channel: 'public', topic: '' })
  const one = await ben.sends({ channel: 'public', topic: 'ONE' })
  const topics = async (params = {}) => (await ben.does(api.getTopics, { path: { stream_id }, ...params })).topics
  assert.deepEqual((await topics()).slice(0, 2), [
    { name: 'ONE', max_id: one },
    { name: 'general chat', max_id: nameless },
  ])
  assert.equal((await topics({ allow_empty_topic_name: true }))[1]?.name, '')
})

test('malformed ids and filters are refused', async () => {
  const { ann } = await newWorld()
  for (const stream_id of ['x', '-1', '0', '1.5', '99999999999999999999'])
    await ann.isRefused(api.getChannel as never, { path: { stream_id } })
  await ann.isRefused(api.getChannels, { include_public: 'perhaps' })
  await ann.isRefused(api.getChannelId, { stream: 'a\u0000b' })
  await ann.isRefused(api.getChannelId)
})
