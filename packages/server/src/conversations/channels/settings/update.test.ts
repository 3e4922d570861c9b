import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as channels from '@parley/api/conversations/channels'
import * as messages from '@parley/api/conversations/messages'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { register } from '@parley/api/delivery/queues'
import * as groups from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import type { SystemGroupName } from '@parley/api/permission-settings'
import type { Actor } from '../../../testing/actor.ts'
import { inChannel, joins, leaves, openToWeb } from '../../../testing/channels.ts'
import { everything, legacyClient, verifyEvents } from '../../../testing/verify-events.ts'
import { newWorld, type World } from '../../../testing/world.ts'

async function systemGroup(actor: Actor, name: SystemGroupName): Promise<number> {
  const { user_groups } = await actor.does(groups.getUserGroups)
  return user_groups.find((group) => group.name === name)!.id
}

const changes = (actor: Actor, stream_id: number, change: object) =>
  actor.does(channels.updateChannel, { path: { stream_id }, ...change })
const cannotChange = (actor: Actor, stream_id: number, change: object) =>
  actor.isRefused(channels.updateChannel, { path: { stream_id }, ...change })
const show = async (actor: Actor, stream_id: number) =>
  (await actor.does(channels.getChannel, { path: { stream_id } })).stream

test('a renamed channel releases its old name', async () => {
  const { ann, ben } = await newWorld()
  const id = await inChannel('verona', [ann, ben])
  await ben.registers()
  await changes(ann, id, { new_name: ' Mantua ' })
  assert.equal((await show(ann, id)).name, 'Mantua')
  const [update] = await ben.receives('stream')
  assert.ok(update?.op === 'update')
  assert.deepEqual([update.name, update.property, update.value], ['verona', 'name', 'Mantua'])
  await ben.sends({ channel: 'mantua' })
  await joins(ann, 'verona')
  await changes(ann, id, { new_name: 'MANTUA' })
})

test('taken, unchanged and invalid names are refused', async () => {
  const { ann } = await newWorld()
  const id = await inChannel('verona', [ann])
  await inChannel('Mantua', [ann])
  for (const new_name of ['mantua', 'verona', '', ' ', 'x'.repeat(61), 'a\u0001b'])
    await cannotChange(ann, id, { new_name, description: 'never' })
  assert.equal((await show(ann, id)).description, '')
})

test('of two concurrent renames to the same name, one succeeds', async () => {
  const { ann, ben } = await newWorld()
  const ids = [await inChannel('a', [ann]), await inChannel('b', [ben])]
  const answers = await Promise.all(
    [ann, ben].map((actor, index) =>
      actor.request(channels.updateChannel, { path: { stream_id: ids[index] }, new_name: 'c' }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
})

test('the description is rendered, put on one line, and limited in length', async () => {
  const { ann } = await newWorld()
  const id = await inChannel('verona', [ann])
  await changes(ann, id, { description: 'fair\n**Verona**' })
  const { description, rendered_description } = await show(ann, id)
  assert.equal(description, 'fair **Verona**')
  assert.equal(rendered_description, '<p>fair <strong>Verona</strong></p>')
  await cannotChange(ann, id, { description: 'x'.repeat(1025) })
})

test('only administrators of the channel or of the organization may update a channel', async () => {
  const { ann, ben, adam, gus } = await newWorld()
  const id = await inChannel('verona', [ann, ben, gus])
  for (const actor of [ben, gus]) {
    assert.equal((await cannotChange(actor, id, { description: 'mine' })).code, 'BAD_REQUEST')
    await actor.isRefused(channels.archiveChannel, { path: { stream_id: id } })
  }
  await changes(adam, id, { description: 'ours' })
  await changes(ann, id, {
    can_administer_channel_group: { new: { direct_members: [ben.id, gus.id], direct_subgroups: [] } },
  })
  await changes(ben, id, { description: 'now mine' })
  await cannotChange(gus, id, { description: 'a guest' })
  await cannotChange(ann, id, { description: 'no longer' })
})

test('a hidden channel fails like a missing one', async () => {
  const { ann, ben } = await newWorld()
  const elsewhere = await newWorld()
  const id = await inChannel('den', [ann], { invite_only: true })
  const missing = await cannotChange(ben, 999_999_999, { new_name: 'x' })
  assert.deepEqual(await cannotChange(ben, id, { new_name: 'x' }), missing)
  assert.deepEqual(await cannotChange(elsewhere.olga, id, { new_name: 'x' }), missing)
  assert.deepEqual(await ben.isRefused(channels.archiveChannel, { path: { stream_id: id } }), missing)
})

test('only owners change retention, only administrators change default channels', async () => {
  const { ann, adam, olga } = await newWorld()
  const id = await inChannel('verona', [ann])
  assert.equal((await cannotChange(adam, id, { message_retention_days: 3 })).code, 'UNAUTHORIZED_PRINCIPAL')
  assert.equal((await cannotChange(ann, id, { is_default_stream: true })).code, 'UNAUTHORIZED_PRINCIPAL')
  await cannotChange(olga, id, { message_retention_days: 0 })
  for (const [days, shown] of [
    [3, 3],
    ['unlimited', -1],
    ['realm_default', null],
  ]) {
    await changes(olga, id, { message_retention_days: days })
    assert.equal((await show(ann, id)).message_retention_days, shown)
  }
})

test('permissions can be changed, and the expected old value is checked', async () => {
  const { ann, ben } = await newWorld()
  const id = await inChannel('verona', [ann, ben])
  const moderators = await systemGroup(ann, 'role:moderators')
  const everyone = await systemGroup(ann, 'role:everyone')
  await ben.registers()
  await changes(ann, id, { can_send_message_group: { new: moderators, old: everyone } })
  const received = (await ben.receives('stream')).map((event) => event.op === 'update' && [event.property, event.value])
  assert.deepEqual(received, [
    ['can_send_message_group', moderators],
    ['stream_post_policy', 4],
    ['is_announcement_only', false],
  ])
  await ben.isRefused(messages.sendMessage, { type: 'stream', to: id, topic: 't', content: 'x' })
  const { code } = await cannotChange(ann, id, { can_send_message_group: { new: everyone, old: everyone } })
  assert.equal(code, 'EXPECTATION_MISMATCH')
  await cannotChange(ann, id, { can_subscribe_group: { new: everyone } })
  await cannotChange(ann, id, { can_subscribe_group: { new: 999_999_999 } })
})

async function reads(actor: Actor, id: number): Promise<boolean> {
  const { status } = await actor.request(messages.getMessage, { path: { message_id: id } })
  return status === 200
}

test('a channel that becomes private is hidden from others and protects its history from new subscribers', async () => {
  const { ann, ben, mona } = await newWorld()
  const id = await inChannel('verona', [ann])
  const early = await ann.sends({ channel: 'verona' })
  await joins(ben, 'verona')
  const late = await ann.sends({ channel: 'verona' })
  assert.ok(await reads(mona, early))
  await verifyEvents([ann, ben, mona], () => changes(ann, id, { is_private: true }))
  await mona.isRefused(channels.getChannel, { path: { stream_id: id } })
  assert.deepEqual([await reads(ben, early), await reads(ben, late), await reads(mona, late)], [false, true, false])
  await changes(ann, id, { history_public_to_subscribers: true })
  assert.deepEqual([await reads(ben, early), await reads(mona, early)], [true, false])
  await verifyEvents([ann, ben, mona], () => changes(ann, id, { is_private: false }))
  assert.ok(await reads(mona, early))
})

test('invalid combinations are refused: private and web-public, public with protected history, private default', async () => {
  const { ann, adam, olga } = await newWorld()
  const id = await inChannel('verona', [ann, olga, adam])
  await cannotChange(olga, id, { is_private: true, is_web_public: true })
  await cannotChange(olga, id, { history_public_to_subscribers: false })
  await changes(adam, id, { is_default_stream: true })
  await cannotChange(adam, id, { is_private: true })
  await changes(adam, id, { is_private: true, is_default_stream: false })
  await cannotChange(adam, id, { is_default_stream: true })
})

test('the moderation request channel must stay private', async () => {
  const { adam, olga } = await newWorld()
  const id = await inChannel('verona', [adam])
  await changes(adam, id, { is_private: true })
  await olga.does(updateRealm, { moderation_request_channel_id: id })
  await cannotChange(adam, id, { is_private: false })
  await changes(adam, id, { history_public_to_subscribers: true })
  await olga.does(updateRealm, { moderation_request_channel_id: -1 })
  await changes(adam, id, { is_private: false })
})

test('changing privacy requires permission to create such a channel and to read this one', async () => {
  const world = await newWorld()
  const { ann, adam, olga, gus } = world
  const id = await inChannel('verona', [ann])
  await cannotChange(olga, id, { is_web_public: true })
  await openToWeb(world, 'verona')
  await changes(olga, id, { is_private: false }) // no change: the channel is not private and stays web-public
  await gus.does(channels.getChannel, { path: { stream_id: id } })
  await changes(ann, id, { is_private: true })
  await cannotChange(adam, id, { is_private: false })
  const members = await systemGroup(ann, 'role:members')
  await cannotChange(adam, id, { can_subscribe_group: { new: members } })
  await changes(adam, id, { description: 'metadata only' })
})

test('granting a permission in a private channel shows the channel, revoking it hides it', async () => {
  const { ann, ben, mona, gus } = await newWorld()
  const id = await inChannel('den', [ann], { invite_only: true })
  const some = { direct_members: [ben.id, gus.id], direct_subgroups: [] }
  const nobody = { direct_members: [], direct_subgroups: [] }
  const all = [ann, ben, mona, gus]
  await verifyEvents(all, () => changes(ann, id, { can_subscribe_group: { new: some } }))
  await show(ben, id)
  await gus.isRefused(channels.getChannel, { path: { stream_id: id } })
  await verifyEvents(all, () => changes(ann, id, { can_subscribe_group: { new: nobody, old: some } }))
  await ben.isRefused(channels.getChannel, { path: { stream_id: id } })
})

test('changes to a channel are posted to it as notices', async () => {
  const { ann, ben, olga } = await newWorld()
  const id = await inChannel('verona', [ann, ben])
  await ben.registers({ apply_markdown: false })
  await changes(ann, id, { new_name: 'mantua', is_private: true })
  await changes(ann, id, { description: 'the place' })
  await changes(olga, id, { message_retention_days: 9 })
  const who = `@_**Ann|${ann.id}**`
  const notices = (await ben.receives('message')).map(({ message }) => [
    message.subject,
    message.content.split('\n')[0],
  ])
  assert.deepEqual(notices, [
    ['channel events', `${who} renamed this channel from **verona** to **mantua**.`],
    [
      'channel events',
      `${who} changed who can read this channel. It is **private** with **protected history**: its subscribers can read messages sent after they join.`,
    ],
    ['channel events', `${who} changed the description of this channel.`],
    ['channel events', `@_**Olga|${olga.id}** changed how long messages in this channel are kept: for 9 days.`],
  ])
})

test('archiving and unarchiving post notices, which do not count as unread when archiving', async () => {
  const { ann, ben } = await newWorld()
  const id = await inChannel('verona', [ann, ben])
  await ben.registers({ apply_markdown: false })
  await ann.does(channels.archiveChannel, { path: { stream_id: id } })
  await changes(ann, id, { is_archived: false, new_name: 'mantua' })
  const notices = await ben.receives('message')
  assert.deepEqual(
    notices.map(({ message, flags }) => [message.content, flags]),
    [
      [`@_**Ann|${ann.id}** archived this channel.`, ['read']],
      [`@_**Ann|${ann.id}** renamed this channel from **verona** to **mantua**.`, []],
      [`@_**Ann|${ann.id}** unarchived this channel.`, []],
    ],
  )
  const { unread_msgs } = await ben.registers()
  const unread = unread_msgs!.streams.flatMap(({ unread_message_ids }) => unread_message_ids)
  assert.deepEqual(
    notices.map(({ message }) => unread.includes(message.id)),
    [false, true, true],
  )
})

test('an archived channel accepts no messages or changes, keeps its name, and is removed from realm settings', async () => {
  const { ann, adam, olga, ben } = await newWorld()
  const id = await inChannel('verona', [ann, ben])
  await changes(adam, id, { is_default_stream: true })
  await olga.does(updateRealm, { new_stream_announcements_stream_id: id })
  await ann.does(channels.archiveChannel, { path: { stream_id: id } })
  await ann.isRefused(channels.archiveChannel, { path: { stream_id: id } })
  await ben.isRefused(messages.sendMessage, { type: 'stream', to: id, topic: 't', content: 'x' })
  await cannotChange(ann, id, { description: 'x' })
  await cannotChange(ann, id, { is_archived: true })
  await ben.isRefused(subscribe, { subscriptions: [{ name: 'verona' }] })
  const state = await ann.does(register, {})
  assert.deepEqual([state.realm_default_streams, state.realm_new_stream_announcements_stream_id], [[], -1])
  await changes(ann, id, { is_archived: false, description: 'back' })
  await cannotChange(ann, id, { is_archived: false })
  await ben.sends({ channel: 'verona' })
})

for (const [name, params] of Object.entries({ everything, legacyClient }))
  test(`events are complete: a channel is updated, archived and unarchived (${name})`, async () => {
    const { ann, ben, mona, gus, olga, adam } = await newWorld()
    const id = await inChannel('verona', [ann, ben, gus])
    await leaves(ben, 'verona')
    await inChannel('elsewhere', [ann]) // shows whether a client receives subscribers
    const moderators = await systemGroup(ann, 'role:administrators')
    const all = [ann, ben, mona, gus, adam]
    await verifyEvents(
      all,
      async () => {
        await changes(olga, id, {
          new_name: 'mantua',
          description: 'fair *Mantua*',
          message_retention_days: 4,
          can_send_message_group: { new: moderators },
          is_default_stream: true,
        })
      },
      params,
    )
    await verifyEvents(all, () => olga.does(channels.archiveChannel, { path: { stream_id: id } }), params)
    await verifyEvents([ann, mona, gus, adam], () => changes(olga, id, { is_archived: false }), params)
  })

test('administrators can make public channels they can read default channels', async () => {
  const { ann, adam, olga, add, gus } = await newWorld()
  const id = await inChannel('verona', [ann])
  const hidden = await inChannel('den', [ann], { invite_only: true })
  const own = await inChannel('cave', [adam], { invite_only: true })
  assert.equal((await ann.isRefused(channels.addDefaultChannel, {})).code, 'UNAUTHORIZED_PRINCIPAL')
  assert.equal((await adam.isRefused(channels.addDefaultChannel, {})).code, 'REQUEST_VARIABLE_MISSING')
  for (const stream_id of [hidden, own, 999_999_999, 'x'])
    assert.equal((await adam.isRefused(channels.addDefaultChannel, { stream_id })).code, 'BAD_REQUEST')
  await ann.registers()
  await gus.registers()
  await adam.does(channels.addDefaultChannel, { stream_id: id })
  await adam.does(channels.addDefaultChannel, { stream_id: id })
  assert.deepEqual(
    (await ann.receives('default_streams')).map(({ default_streams }) => default_streams),
    [[id]],
  )
  assert.deepEqual(await gus.receives('default_streams'), [])
  await olga.does(channels.removeDefaultChannel, { stream_id: id })
  await olga.does(channels.removeDefaultChannel, { stream_id: id })
  assert.equal((await ann.isRefused(channels.removeDefaultChannel, { stream_id: id })).code, 'UNAUTHORIZED_PRINCIPAL')
  assert.equal((await ann.receives('default_streams')).length, 2)
  await add('zoe')
})

test('every administrative action is recorded in the audit log', async () => {
  const world: World = await newWorld()
  const { ann, adam, ctx, realmId } = world
  const id = await inChannel('verona', [ann])
  await changes(ann, id, { description: 'x' })
  await adam.does(channels.addDefaultChannel, { stream_id: id })
  await ann.does(channels.archiveChannel, { path: { stream_id: id } })
  const rows = await ctx.db
    .selectFrom('audit_log')
    .select('action')
    .where('realm_id', '=', realmId)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    rows.map(({ action }) => action).filter((action) => action.includes('channel')),
    ['channels_created', 'channel_updated', 'default_channel_added', 'channel_archived'],
  )
})

test('without an email gateway a channel has no email address', async () => {
  const { ann, ben } = await newWorld()
  const stream_id = await inChannel('den', [ann], { invite_only: true })
  assert.equal((await ann.does(channels.getChannelEmail, { path: { stream_id } })).email, '')
  await ann.does(channels.getChannelEmail, { path: { stream_id }, sender_id: ann.id })
  await ann.isRefused(channels.getChannelEmail, { path: { stream_id }, sender_id: ben.id })
  await ben.isRefused(channels.getChannelEmail, { path: { stream_id } })
})
