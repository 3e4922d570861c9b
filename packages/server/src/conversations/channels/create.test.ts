import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as channels from '@parley/api/conversations/channels'
import * as api from '@parley/api/conversations/subscriptions'
import type { Actor } from '../../testing/actor.ts'
import { configureRealm } from '../../testing/configure-realm.ts'
import { newWorld, type World } from '../../testing/world.ts'

async function shown(actor: Actor, name: string) {
  const { stream_id } = await actor.does(channels.getChannelId, { stream: name })
  return (await actor.does(channels.getChannel, { path: { stream_id } })).stream
}

async function groups({ ctx, realmId }: World) {
  return (await ctx.realms.get(realmId)).realm.systemGroups
}

const named = (name: string) => ({ subscriptions: [{ name }] })

test('by default a channel is public, administered by its creator, and everyone may post', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  await ann.does(api.subscribe, named('plain'))
  const system = await groups(world)
  const channel = await shown(ben, 'plain')
  assert.equal(channel.creator_id, ann.id)
  assert.deepEqual(
    [channel.invite_only, channel.is_web_public, channel.history_public_to_subscribers, channel.is_archived],
    [false, false, true, false],
  )
  assert.deepEqual(channel.can_administer_channel_group, { direct_members: [ann.id], direct_subgroups: [] })
  assert.equal(channel.can_send_message_group, system['role:everyone'])
  assert.equal(channel.can_remove_subscribers_group, system['role:administrators'])
  assert.equal(channel.can_subscribe_group, system['role:nobody'])
  assert.equal(channel.can_add_subscribers_group, system['role:nobody'])
  assert.equal(channel.stream_post_policy, 1)
  assert.equal(channel.message_retention_days, null)
  assert.equal(channel.stream_weekly_traffic, null)
})

test('a new channel starts with a notice, and the creation events contain its id', async () => {
  const { ann, ben } = await newWorld()
  await ann.registers()
  await ben.registers()
  await ann.does(api.subscribe, { subscriptions: [{ name: 'b' }, { name: 'a' }] })
  const first = (await ann.receives('message')).map(({ message }) => [message.stream_id, message.subject, message.id])
  const created = (await ben.receives('stream')).flatMap((event) => (event.op === 'create' ? event.streams : []))
  assert.deepEqual(
    created.map((one) => [one.stream_id, 'channel events', one.first_message_id]),
    first,
  )
  assert.equal((await shown(ben, 'a')).first_message_id, created.find(({ name }) => name === 'a')?.first_message_id)
})

test('the first notice of a channel is read for its creator, and its subscribers get no direct message', async () => {
  const { ann, ben } = await newWorld()
  for (const one of [ann, ben]) await one.registers()
  await ann.does(api.subscribe, { ...named('x'), principals: [ann.id, ben.id] })
  const received = async (one: Actor) =>
    (await one.receives('message')).map(({ flags, message }) => [message.type, ...flags])
  assert.deepEqual([await received(ann), await received(ben)], [[['stream', 'read']], [['stream']]])
  const unread = async (one: Actor) => (await one.registers()).unread_msgs!.count
  assert.deepEqual([await unread(ann), await unread(ben)], [0, 1])
})

test('group settings accept ids and unnamed groups, and are simplified', async () => {
  const world = await newWorld()
  const { ann, ben } = world
  const system = await groups(world)
  const unnamed = { direct_members: [ben.id, ann.id], direct_subgroups: [system['role:moderators']] }
  await ann.does(api.subscribe, {
    ...named('x'),
    can_send_message_group: system['role:administrators'],
    can_remove_subscribers_group: unnamed,
    can_subscribe_group: { direct_members: [], direct_subgroups: [] },
    can_add_subscribers_group: { direct_members: [], direct_subgroups: [system['role:moderators']] },
  })
  const channel = await shown(ann, 'x')
  assert.equal(channel.can_send_message_group, system['role:administrators'])
  assert.equal(channel.stream_post_policy, 2)
  assert.equal(channel.is_announcement_only, true)
  assert.deepEqual(channel.can_remove_subscribers_group, { ...unnamed, direct_members: [ann.id, ben.id] })
  assert.equal(channel.can_subscribe_group, system['role:nobody'])
  assert.equal(channel.can_add_subscribers_group, system['role:moderators'])
})

test('group settings refuse invalid values', async () => {
  const world = await newWorld()
  const { ann, ben, ctx } = world
  const system = await groups(world)
  const elsewhere = await newWorld()
  const foreign = await groups(elsewhere)
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', ben.id).execute()
  const member = (id: number) => ({ direct_members: [id], direct_subgroups: [] })
  const refused = {
    can_send_message_group: [system['role:internet'], foreign['role:members'], 987_654_321],
    can_administer_channel_group: [system['role:everyone'], member(elsewhere.ann.id), member(ben.id)],
    can_subscribe_group: [system['role:everyone'], { direct_members: [ann.id] }, { direct_members: 'all' }, 'x'],
    can_add_subscribers_group: [system['role:everyone'], { direct_members: [ann.id], direct_subgroups: [987_654_321] }],
  }
  for (const [setting, values] of Object.entries(refused))
    for (const value of values) await ann.isRefused(api.subscribe, { ...named('x'), [setting]: value })
  await ann.isRefused(channels.getChannelId, { stream: 'x' })
})

test('creating each type of channel requires its permission', async () => {
  const world = await newWorld()
  const { ann, olga } = world
  assert.match((await olga.isRefused(api.subscribe, { ...named('web'), is_web_public: true })).msg, /not enabled/)
  await olga.does(api.subscribe, named('plaza'))
  const nobody = 'role:nobody'
  await configureRealm(world, {}, { can_create_public_channel_group: nobody, can_create_private_channel_group: nobody })
  await ann.isRefused(api.subscribe, named('x'))
  await ann.isRefused(api.subscribe, { ...named('x'), invite_only: true })
  await ann.does(api.subscribe, named('plaza'))
})

test('only valid combinations of privacy and history are accepted', async () => {
  const { olga } = await newWorld()
  await olga.isRefused(api.subscribe, { ...named('x'), invite_only: true, is_web_public: true })
  await olga.does(api.subscribe, { ...named('public'), history_public_to_subscribers: false })
  await olga.does(api.subscribe, { ...named('protected'), invite_only: true })
  await olga.does(api.subscribe, { ...named('shared'), invite_only: true, history_public_to_subscribers: true })
  assert.equal((await shown(olga, 'public')).history_public_to_subscribers, true)
  assert.equal((await shown(olga, 'protected')).history_public_to_subscribers, false)
  assert.equal((await shown(olga, 'shared')).history_public_to_subscribers, true)
})

test('only administrators create default channels, which cannot be private; everyone but guests receives the event', async () => {
  const { ann, ben, adam, gus } = await newWorld()
  await ben.registers()
  await gus.registers()
  assert.equal(
    (await ann.isRefused(api.subscribe, { ...named('x'), is_default_stream: true })).code,
    'UNAUTHORIZED_PRINCIPAL',
  )
  await adam.isRefused(api.subscribe, { ...named('x'), is_default_stream: true, invite_only: true })
  await adam.does(api.subscribe, { ...named('x'), is_default_stream: true })
  const { stream_id } = await shown(ann, 'x')
  assert.deepEqual(
    (await ben.receives('default_streams')).map(({ default_streams }) => default_streams),
    [[stream_id]],
  )
  assert.deepEqual(await gus.receives('default_streams'), [])
})

test('only owners set message retention', async () => {
  const { olga, adam } = await newWorld()
  assert.equal(
    (await adam.isRefused(api.subscribe, { ...named('x'), message_retention_days: 5 })).code,
    'UNAUTHORIZED_PRINCIPAL',
  )
  await adam.isRefused(api.subscribe, { ...named('x'), message_retention_days: 0 })
  await olga.does(api.subscribe, { ...named('five'), message_retention_days: 5 })
  await olga.does(api.subscribe, { ...named('ever'), message_retention_days: 'unlimited' })
  assert.equal((await shown(olga, 'five')).message_retention_days, 5)
  assert.equal((await shown(olga, 'ever')).message_retention_days, -1)
})

test('new public channels are announced in the announcement channel; private ones are not', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  await ben.does(api.subscribe, named('news'))
  const { stream_id } = await shown(ben, 'news')
  await ctx.db
    .updateTable('realms')
    .set({ settings: JSON.stringify({ new_stream_announcements_stream_id: stream_id }) })
    .where('id', '=', realmId)
    .execute()
  ctx.realms.drop(realmId)
  await ben.registers({ apply_markdown: true })
  await ann.does(api.subscribe, { ...named('open'), announce: true })
  await ann.does(api.subscribe, { ...named('secret'), announce: true, invite_only: true })
  await ann.does(api.subscribe, named('quiet'))
  const received = (await ben.receives('message')).map(({ message }) => message)
  assert.equal(received.length, 1)
  assert.equal(received[0]!.subject, 'new channels')
  assert.match(received[0]!.content, /class="stream"[^>]*>#open</)
})

test('options for new channels do not change existing channels', async () => {
  const { ann, ben } = await newWorld()
  await ann.does(api.subscribe, named('x'))
  await ben.does(api.subscribe, { ...named('x'), invite_only: true, is_default_stream: true, is_web_public: true })
  assert.equal((await shown(ann, 'x')).invite_only, false)
})

test('descriptions are rendered without previews and with the visibility of their author', async () => {
  const { ann, ben } = await newWorld()
  await ben.does(api.subscribe, { ...named('secret'), invite_only: true })
  await ann.does(api.subscribe, named('open'))
  const description = 'about #**open** and #**secret**, <b>raw</b> https://example.com/cat.png'
  await ann.does(api.subscribe, { subscriptions: [{ name: 'x', description }] })
  const { rendered_description } = await shown(ann, 'x')
  assert.match(rendered_description, /#open<\/a>/)
  assert.doesNotMatch(rendered_description, /#secret<\/a>/)
  assert.doesNotMatch(rendered_description, /<img|<b>/)
})

test('channel names are unique regardless of case, including those of archived channels', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  await ann.does(api.subscribe, named('Straße'))
  await ctx.db.updateTable('channels').set({ is_archived: true }).where('realm_id', '=', realmId).execute()
  ctx.realms.drop(realmId)
  await ben.isRefused(api.subscribe, named('STRAßE'))
  const { unauthorized } = await ben.does(api.subscribe, { ...named('straße'), authorization_errors_fatal: false })
  assert.deepEqual(unauthorized, ['straße'])
})

test('two organizations may use the same channel name', async () => {
  const [here, there] = [await newWorld(), await newWorld()]
  await here.ann.does(api.subscribe, named('x'))
  await there.ann.does(api.subscribe, named('x'))
  assert.notEqual((await shown(here.ann, 'x')).stream_id, (await shown(there.ann, 'x')).stream_id)
})
