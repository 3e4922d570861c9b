import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/flags'
import { unsubscribe } from '@parley/api/conversations/subscriptions'
import { register } from '@parley/api/delivery/queues'
import { updateRealm } from '@parley/api/organization/realm'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { restrictGuests } from '../../testing/configure-realm.ts'
import { newWorld } from '../../testing/world.ts'

const readersOf = async (actor: Actor, message_id: number) =>
  (await actor.does(api.getReadReceipts, { path: { message_id } })).user_ids
const reads = (actor: Actor, ...ids: number[]) =>
  actor.does(api.updateMessageFlags, { op: 'add', flag: 'read', messages: ids })

test('read receipts list the users who read a message, without its sender', async () => {
  const { ann, ben, gus } = await newWorld()
  await inChannel('verona', [ann, ben, gus])
  const [first, second] = [await ann.sends({ channel: 'verona' }), await ann.sends({ channel: 'verona' })] as const
  assert.deepEqual(await readersOf(ann, first), [])
  await reads(ben, first, second)
  await reads(gus, second)
  await reads(ann, first, second)
  assert.deepEqual(await readersOf(ann, first), [ben.id])
  assert.deepEqual(await readersOf(ann, second), [ben.id, gus.id])
  await ben.does(api.updateMessageFlags, { op: 'remove', flag: 'read', messages: [second] })
  assert.deepEqual(await readersOf(ann, second), [gus.id])
})

test('direct messages have read receipts', async () => {
  const { ann, ben, gus } = await newWorld()
  const id = await ann.sends({ to: [ben, gus] })
  await reads(gus, id)
  assert.deepEqual(await readersOf(ben, id), [gus.id])
})

test('read receipts omit deactivated users, users who do not send them, and users who muted the caller', async () => {
  const { ann, ben, gus, mona, adam, ctx, realmId } = await newWorld()
  const id = await ann.sends({ to: [ben, gus, mona, adam] })
  for (const actor of [ben, gus, mona, adam]) await reads(actor, id)
  const change = (user: Actor, values: object) =>
    ctx.db.updateTable('users').set(values).where('id', '=', user.id).execute()
  await change(ben, { settings: JSON.stringify({ send_read_receipts: false }) })
  await change(gus, { is_active: false })
  await ctx.db
    .insertInto('muted_users')
    .values({ realm_id: realmId, user_id: mona.id, muted_user_id: ann.id })
    .execute()
  assert.deepEqual(await readersOf(ann, id), [adam.id])
})

test('read receipts of restricted guests omit users they cannot see', async () => {
  const world = await newWorld()
  const { ann, ben, gus } = world
  await restrictGuests(world)
  await inChannel('verona', [ann, ben, gus])
  const id = await ann.sends({ channel: 'verona' })
  await reads(ben, id)
  assert.deepEqual(await readersOf(gus, id), [ben.id])
  await ben.does(unsubscribe, { subscriptions: ['verona'] })
  assert.deepEqual(await readersOf(gus, id), [])
})

test('read receipts can be disabled, and are refused for unreadable messages', async () => {
  const { ann, ben, olga } = await newWorld()
  const id = await ann.sends({ to: [ann] })
  await olga.does(updateRealm, { enable_read_receipts: false })
  assert.equal((await ann.isRefused(api.getReadReceipts, { path: { message_id: id } })).code, 'BAD_REQUEST')
  const missing = await ben.isRefused(api.getReadReceipts, { path: { message_id: 999_999 } })
  assert.deepEqual(await ben.isRefused(api.getReadReceipts, { path: { message_id: id } }), missing)
})

test('a new organization requires invitations and has read receipts enabled', async () => {
  const { ann, olga } = await newWorld()
  const shown = async () => {
    const state = await ann.does(register, { event_types: ['realm'] })
    return [state.realm_invite_required, state.realm_enable_read_receipts]
  }
  assert.deepEqual(await shown(), [true, true])
  await olga.does(updateRealm, { enable_read_receipts: false })
  assert.deepEqual(await shown(), [true, false])
})
