import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveChannel } from '@parley/api/conversations/channels'
import { subscribe } from '@parley/api/conversations/subscriptions'
import * as api from '@parley/api/conversations/typing'
import { inChannel } from '../../testing/channels.ts'
import { newWorld } from '../../testing/world.ts'

test('editing a message emits typing events to the subscribers of its channel', async () => {
  const { ann, ben, mona } = await newWorld()
  const channel_id = await inChannel('verona', [ann, ben])
  const message_id = await ann.sends({ channel: 'verona', topic: 'castle' })
  for (const one of [ben, mona]) await one.registers()
  await ann.does(api.setEditTypingStatus, { path: { message_id }, op: 'start' })
  await ann.does(api.setEditTypingStatus, { path: { message_id }, op: 'stop' })
  const [start, stop] = await ben.receives('typing_edit_message')
  const { id: _, ...rest } = start!
  assert.deepEqual(rest, {
    type: 'typing_edit_message',
    op: 'start',
    sender_id: ann.id,
    message_id,
    recipient: { type: 'channel', channel_id, topic: 'castle' },
  })
  assert.equal(stop?.op, 'stop')
  assert.deepEqual(await mona.receives('typing_edit_message'), [])
})

test('editing a direct message emits to the participants who receive typing notifications', async () => {
  const { ann, ben, gus, ctx, realmId } = await newWorld()
  const message_id = await ann.sends({ to: [ben, gus] })
  const settings = JSON.stringify({ receives_typing_notifications: false })
  await ctx.db.updateTable('users').set({ settings }).where('id', '=', gus.id).execute()
  ctx.realms.drop(realmId)
  for (const one of [ben, gus]) await one.registers()
  await ann.does(api.setEditTypingStatus, { path: { message_id }, op: 'start' })
  const [event] = await ben.receives('typing_edit_message')
  assert.deepEqual(event?.recipient, { type: 'direct', user_ids: [ann.id, ben.id] })
  assert.deepEqual(await gus.receives('typing_edit_message'), [])
})

test('only users who may edit a message can send typing events for it', async () => {
  const { ann, ben, adam, ctx, realmId } = await newWorld()
  const message_id = await ann.sends({ to: [ben] })
  const path = { message_id }
  const missing = await adam.isRefused(api.setEditTypingStatus, { path: { message_id: 999_999 }, op: 'start' })
  assert.deepEqual(await adam.isRefused(api.setEditTypingStatus, { path, op: 'start' }), missing)
  await ben.isRefused(api.setEditTypingStatus, { path, op: 'start' })
  await ann.isRefused(api.setEditTypingStatus, { path, op: 'other' })
  await ann.isRefused(api.setEditTypingStatus, { path })
  const date_sent = new Date(Date.now() - 610_000)
  await ctx.db.updateTable('messages').set({ date_sent }).where('realm_id', '=', realmId).execute()
  await ann.isRefused(api.setEditTypingStatus, { path, op: 'start' })
})

test('typing events for edits are refused in archived channels', async () => {
  const { ann, olga } = await newWorld()
  const stream_id = await inChannel('verona', [ann])
  const path = { message_id: await ann.sends({ channel: 'verona' }) }
  await olga.does(archiveChannel, { path: { stream_id } })
  await ann.isRefused(api.setEditTypingStatus, { path, op: 'start' })
})

test('users who turned off typing notifications cannot send them for edits', async () => {
  const { ann, ben, ctx, realmId } = await newWorld()
  const message_id = await ann.sends({ to: [ben] })
  const settings = JSON.stringify({ send_private_typing_notifications: false })
  await ctx.db.updateTable('users').set({ settings }).where('id', '=', ann.id).execute()
  ctx.realms.drop(realmId)
  await ann.isRefused(api.setEditTypingStatus, { path: { message_id }, op: 'start' })
})

test('editing an old message emits nothing to subscribers who cannot read it', async () => {
  const { ann, ben, mona } = await newWorld()
  await inChannel('secret', [ann, mona], { invite_only: true })
  const message_id = await ann.sends({ channel: 'secret', topic: 'before ben' })
  await ann.does(subscribe, { subscriptions: [{ name: 'secret' }], principals: [ben.id] })
  for (const one of [ben, mona]) await one.registers()
  await ann.does(api.setEditTypingStatus, { path: { message_id }, op: 'start' })
  assert.equal((await mona.receives('typing_edit_message')).length, 1)
  assert.deepEqual(await ben.receives('typing_edit_message'), [])
})
