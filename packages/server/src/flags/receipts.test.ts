import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/flags'
import type { Actor } from '../testing/actor.ts'
import { inChannel } from '../testing/channels.ts'
import { newWorld, type World } from '../testing/world.ts'

async function withReceipts(): Promise<World> {
  const world = await newWorld()
  const { ctx, realmId } = world
  const settings = JSON.stringify({ enable_read_receipts: true })
  await ctx.db.updateTable('realms').set({ settings }).where('id', '=', realmId).execute()
  ctx.realms.drop(realmId)
  return world
}

const readersOf = async (actor: Actor, message_id: number) =>
  (await actor.does(api.getReadReceipts, { path: { message_id } })).user_ids
const reads = (actor: Actor, ...ids: number[]) =>
  actor.does(api.updateMessageFlags, { op: 'add', flag: 'read', messages: ids })

test('a message shows who has read it, but not its sender', async () => {
  const { ann, ben, gus } = await withReceipts()
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

test('a direct message shows who has read it', async () => {
  const { ann, ben, gus } = await withReceipts()
  const id = await ann.sends({ to: [ben, gus] })
  await reads(gus, id)
  assert.deepEqual(await readersOf(ben, id), [gus.id])
})

test('who does not want it, who is gone and who is muted do not show', async () => {
  const { ann, ben, gus, mona, adam, ctx, realmId } = await withReceipts()
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

test('read receipts can be switched off, and a hidden message has none', async () => {
  const { ann, ben } = await newWorld()
  const id = await ann.sends({ to: [ann] })
  assert.equal((await ann.isRefused(api.getReadReceipts, { path: { message_id: id } })).code, 'BAD_REQUEST')
  const missing = await ben.isRefused(api.getReadReceipts, { path: { message_id: 999_999 } })
  assert.deepEqual(await ben.isRefused(api.getReadReceipts, { path: { message_id: id } }), missing)
})
