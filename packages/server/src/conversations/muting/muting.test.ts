import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '@parley/api/common'
import { updateMessageFlags } from '@parley/api/conversations/flags'
import { getMessage } from '@parley/api/conversations/messages'
import * as api from '@parley/api/conversations/muting'
import { register } from '@parley/api/delivery/queues'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { restrictGuests } from '../../testing/configure-realm.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld, type World } from '../../testing/world.ts'

const of = (actor: { id: number }) => ({ path: { muted_user_id: actor.id } })

async function unreadOf(actor: Actor): Promise<number[]> {
  const { unread_msgs } = await actor.does(register, { fetch_event_types: ['message', 'update_message_flags'] })
  return [...unread_msgs!.streams, ...unread_msgs!.pms, ...unread_msgs!.huddles]
    .flatMap(({ unread_message_ids }) => unread_message_ids)
    .sort((a, b) => a - b)
}

async function flagsOf(actor: Actor, id: number): Promise<string[]> {
  return (await actor.does(getMessage, { path: { message_id: id } })).message.flags
}

test('muting marks the messages of the muted user as read, and no others', async () => {
  const { ann, ben, mona } = await newWorld()
  await inChannel('verona', [ann, ben, mona])
  const before = await unreadOf(ann)
  const said = [
    await ben.sends({ channel: 'verona' }),
    await ben.sends({ to: [ann] }),
    await ben.sends({ channel: 'verona', content: '@**Ann** come' }),
  ]
  const other = await mona.sends({ channel: 'verona' })
  await ann.registers()
  await ann.does(api.muteUser, of(ben))
  assert.deepEqual(await unreadOf(ann), [...before, other])
  const [flags] = await ann.receives('update_message_flags')
  assert.deepEqual([flags?.op, flags?.flag, flags?.messages], ['add', 'read', said])
  const [muted] = await ann.receives('muted_users')
  assert.deepEqual(
    muted?.muted_users.map(({ id }) => id),
    [ben.id],
  )
  assert.ok(flags!.id < muted!.id)
})

test('muting emits no flag event if nothing was unread', async () => {
  const { ann, ben } = await newWorld()
  await ann.registers()
  await ann.does(api.muteUser, of(ben))
  assert.deepEqual(await ann.receives('update_message_flags'), [])
})

test('later messages of a muted user are delivered as read', async () => {
  const { ann, ben, mona } = await newWorld()
  await inChannel('verona', [ann, ben, mona])
  await ann.does(api.muteUser, of(ben))
  const before = await unreadOf(ann)
  await ann.registers()
  await mona.registers()
  const ids = [
    await ben.sends({ channel: 'verona' }),
    await ben.sends({ to: [ann] }),
    await ben.sends({ to: [ann, mona] }),
    await ben.sends({ channel: 'verona', content: '@**Ann** come' }),
  ]
  assert.deepEqual(await unreadOf(ann), before)
  const received = await ann.receives('message')
  assert.deepEqual(
    received.map(({ flags }) => flags),
    [['read'], ['read'], ['read'], ['read', 'mentioned']],
  )
  for (const id of ids) assert.ok((await flagsOf(ann, id)).includes('read'))
  assert.deepEqual((await mona.receives('message'))[0]?.flags, [])
  assert.equal((await unreadOf(mona)).filter((id) => ids.includes(id)).length, 3)
})

test('muting the sender gives no access to channels the user is not subscribed to', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ben])
  await ann.does(api.muteUser, of(ben))
  const id = await ben.sends({ channel: 'verona' })
  assert.deepEqual(await flagsOf(ann, id), ['read', 'historical'])
})

test('messages read by muting can be marked as unread, but unmuting does not do that', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  await ann.does(api.muteUser, of(ben))
  const before = await unreadOf(ann)
  const id = await ben.sends({ channel: 'verona' })
  await ann.does(api.unmuteUser, of(ben))
  assert.deepEqual(await unreadOf(ann), before)
  await ann.does(updateMessageFlags, { op: 'remove', flag: 'read', messages: [id] })
  const next = await ben.sends({ channel: 'verona' })
  assert.deepEqual(await unreadOf(ann), [...before, id, next])
})

test('users cannot mute themselves, unknown users, users of other organizations or a muted user again, nor unmute a user who is not muted', async () => {
  const { ann, ben } = await newWorld()
  const other = await newWorld()
  await ann.does(api.muteUser, of(ben))
  for (const target of [ann, ben, other.ben, { id: 999_999_999 }])
    assert.equal((await ann.isRefused(api.muteUser, of(target))).code, 'BAD_REQUEST')
  await ann.does(api.unmuteUser, of(ben))
  for (const target of [ann, ben, other.ben])
    assert.equal((await ann.isRefused(api.unmuteUser, of(target))).code, 'BAD_REQUEST')
})

test('a guest cannot mute a user hidden from them', async () => {
  const { gus, ann, ben, ctx, realmId } = await newWorld()
  await restrictGuests({ ctx, realmId })
  await inChannel('verona', [ann, gus])
  const hidden = await gus.isRefused(api.muteUser, of(ben))
  const missing = await gus.isRefused(api.muteUser, of({ id: 999_999_999 }))
  assert.equal(hidden.msg, missing.msg)
  await gus.does(api.muteUser, of(ann))
})

test('bots, deactivated accounts and the server’s own bots can be muted, and guests and bots may mute', async () => {
  const { ann, gus, add, ctx, realmId, ben } = await newWorld()
  const bot = await add('robot', roles.member, { bot_type: 1, bot_owner_id: ann.id })
  const own = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('realm_id', '=', realmId)
    .where('is_system_bot', '=', true)
    .executeTakeFirstOrThrow()
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', ben.id).execute()
  for (const target of [bot, own, ben]) await gus.does(api.muteUser, of(target))
  await bot.does(api.muteUser, of(ann))
})

test('of two concurrent mutes, one gets "already muted"', async () => {
  const { ann, ben } = await newWorld()
  const answers = await Promise.all([1, 2].map(() => ann.request(api.muteUser as never, of(ben))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
})

test('a message sent during the mute does not stay unread', async () => {
  const { ann, ben } = await newWorld()
  await inChannel('verona', [ann, ben])
  const before = await unreadOf(ann)
  const sending = Array.from({ length: 20 }, () => ben.sends({ channel: 'verona' }))
  await ann.does(api.muteUser, of(ben))
  await Promise.all(sending)
  assert.deepEqual(await unreadOf(ann), before)
})

async function populatedWorld(): Promise<World> {
  const world = await newWorld()
  await inChannel('verona', [world.ann, world.ben, world.gus])
  await world.ben.sends({ channel: 'verona', content: '@**Ann** come' })
  return world
}

test('state after events equals a new state: muting, messages and unmuting', async () => {
  const { ann, ben, gus } = await populatedWorld()
  await verifyEvents([ann, ben, gus], async () => {
    await ann.does(api.muteUser, of(ben))
    await gus.does(api.muteUser, of(ann))
    await ben.sends({ channel: 'verona' })
    await ben.sends({ to: [ann, gus] })
    await ann.sends({ channel: 'verona', content: '@**all** hear' })
    await ann.does(api.unmuteUser, of(ben))
    await ben.sends({ channel: 'verona' })
  })
})
