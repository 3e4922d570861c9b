import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteMessage } from '@parley/api/conversations/deletion'
import { editMessage } from '@parley/api/conversations/editing'
import { sendMessage } from '@parley/api/conversations/messages'
import { subscribe } from '@parley/api/conversations/subscriptions'
import { createBot } from '@parley/api/delivery/bots'
import { createInvitationLink, sendInvitations } from '@parley/api/identity/invitations'
import { botTypes } from '@parley/api/kinds'
import type { Operation } from '@parley/api/operation'
import * as groups from '@parley/api/organization/groups'
import { updateRealm } from '@parley/api/organization/realm'
import type { RealmGroupSetting } from '@parley/api/permission-settings'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { newWorld, type World } from '../../testing/world.ts'

type Call = [Operation, Record<string, unknown>]
interface PermissionWorld extends World {
  venice: number
  /** A message and a group of another user. */
  message: number
  group: number
}

/** For each permission, an action that requires it. */
const tries: Partial<Record<RealmGroupSetting, (actor: Actor, place: PermissionWorld) => Call | Promise<Call>>> = {
  can_add_subscribers_group: (_, { gus }) => [subscribe, { subscriptions: [{ name: 'verona' }], principals: [gus.id] }],
  can_create_bots_group: ({ name }) => bot(name, botTypes.generic),
  can_create_groups: ({ name }) => [groups.createUserGroup, { name, description: '', members: [] }],
  can_create_private_channel_group: ({ name }) => [subscribe, { subscriptions: [{ name }], invite_only: true }],
  can_create_public_channel_group: ({ name }) => [subscribe, { subscriptions: [{ name }] }],
  can_delete_any_message_group: (_, { message }) => [deleteMessage, { path: { message_id: message } }],
  can_delete_own_message_group: async (actor) => [deleteMessage, { path: { message_id: await says(actor) } }],
  can_invite_users_group: ({ name }) => [sendInvitations, { invitee_emails: `${name}@new.example` }],
  create_multiuse_invite_group: () => [createInvitationLink, {}],
  can_manage_all_groups: ({ name }, { group }) => [
    groups.updateUserGroup,
    { path: { user_group_id: group }, description: name },
  ],
  can_move_messages_between_channels_group: async (actor, { venice }) => moves(actor, { stream_id: venice }),
  can_move_messages_between_topics_group: async (actor) => moves(actor, { topic: 'farewells' }),
  can_resolve_topics_group: async (actor) => moves(actor, { topic: `✔ ${actor.name}`, propagate_mode: 'change_all' }),
  direct_message_initiator_group: (_, { gus }) => [sendMessage, { type: 'direct', to: [gus.id], content: 'hello' }],
  direct_message_permission_group: (_, { gus }) => [sendMessage, { type: 'direct', to: [gus.id], content: 'hello' }],
}

function only(...direct_members: number[]) {
  return { new: { direct_members, direct_subgroups: [] } }
}

function bot(name: string, bot_type: number): Call {
  return [createBot, { full_name: `${name}bot${bot_type}`, short_name: `${name}${bot_type}`, bot_type }]
}

const says = (actor: Actor) => actor.sends({ channel: 'verona', topic: actor.name })

async function moves(actor: Actor, change: object): Promise<Call> {
  return [editMessage, { path: { message_id: await says(actor) }, ...change }]
}

async function place(): Promise<PermissionWorld> {
  const world = await newWorld()
  const { olga, ann, ben } = world
  await inChannel('verona', [olga, ann, ben])
  const venice = await inChannel('venice', [olga, ann, ben])
  const message = await olga.sends({ channel: 'verona' })
  const created = await olga.does(groups.createUserGroup, { name: 'team', description: '', members: [] })
  return { ...world, venice, message, group: created.group_id }
}

for (const [setting, attempt] of Object.entries(tries))
  test(`${setting} allows members of the group, and nobody else`, async () => {
    const here = await place()
    const { olga, ann, ben } = here
    await olga.does(updateRealm, { [setting]: only(ben.id) })
    await ann.isRefused(...(await attempt(ann, here)))
    await ben.does(...(await attempt(ben, here)))
  })

test('can_mention_many_users_group allows mentioning more than fifteen users at once', async () => {
  const { olga, ann, ben, add } = await newWorld()
  const crowd = await Promise.all(Array.from({ length: 14 }, (_, n) => add(`extra${n}`)))
  await inChannel('verona', [ann, ben, ...crowd])
  await olga.does(updateRealm, { can_mention_many_users_group: only(ben.id) })
  const message = { type: 'channel', to: 'verona', topic: 'greetings', content: '@**all**' }
  assert.equal((await ann.isRefused(sendMessage, message)).code, 'STREAM_WILDCARD_MENTION_NOT_ALLOWED')
  await ben.sends({ channel: 'verona', content: '@**all**' })
})

test('users who may create write-only bots may not create others', async () => {
  const { olga, ann, ben } = await newWorld()
  await olga.does(updateRealm, { can_create_bots_group: only(), can_create_write_only_bots_group: only(ben.id) })
  await ben.isRefused(...bot('ben', botTypes.generic))
  await ben.does(...bot('ben', botTypes.incomingWebhook))
  await ann.isRefused(...bot('ann', botTypes.incomingWebhook))
})

test('one user with permission for direct messages is enough for a conversation', async () => {
  const { olga, ann, ben, gus } = await newWorld()
  await olga.does(updateRealm, { direct_message_permission_group: only(ben.id) })
  await ann.sends({ to: [ben, gus] })
  const refused = await ann.isRefused(sendMessage, { type: 'direct', to: [gus.id], content: 'hello' })
  assert.match(refused.msg, /any users who can authorize it/)
  await ann.sends({ to: [ann] })
})

test('a direct conversation can continue until all of its messages are deleted', async () => {
  const { olga, ann, gus } = await newWorld()
  const begun = await gus.sends({ to: [ann] })
  await olga.does(updateRealm, { direct_message_initiator_group: only(gus.id) })
  const answer = await ann.sends({ to: [gus] })
  await gus.does(deleteMessage, { path: { message_id: begun } })
  await ann.does(deleteMessage, { path: { message_id: answer } })
  await ann.isRefused(sendMessage, { type: 'direct', to: [gus.id], content: 'hello' })
})
