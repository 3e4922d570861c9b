import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '@parley/api/conversations/flags'
import * as messages from '@parley/api/conversations/messages'
import * as queues from '@parley/api/delivery/queues'
import type { Actor } from '../../testing/actor.ts'
import { inChannel } from '../../testing/channels.ts'
import { verifyEvents } from '../../testing/verify-events.ts'
import { newWorld } from '../../testing/world.ts'

async function unreadOf(actor: Actor): Promise<number> {
  const { unread_msgs } = await actor.does(queues.register, { fetch_event_types: ['message', 'update_message_flags'] })
  return unread_msgs!.count
}

async function setUp() {
  const world = await newWorld()
  const { ann, ben, gus } = world
  const channel = await inChannel('verona', [ann, ben, gus])
  const ids = [
    await ann.sends({ channel: 'verona', topic: 'a' }),
    await ann.sends({ channel: 'verona', topic: 'b', content: '@**Ben**' }),
    await ann.sends({ channel: 'verona', topic: 'a' }),
    await ann.sends({ to: [ben] }),
  ]
  await ben.does(api.markAllAsRead)
  await ben.does(api.updateMessageFlags, { op: 'remove', flag: 'read', messages: ids })
  return { ...world, channel, ids }
}

const around = (ids: number[], more: object = {}) => ({
  anchor: ids[0]!,
  num_before: 0,
  num_after: 10,
  narrow: [],
  op: 'add' as const,
  flag: 'read',
  ...more,
})

test('marking all as read leaves nothing unread and emits one event without message ids', async () => {
  const { ben } = await setUp()
  assert.equal(await unreadOf(ben), 4)
  await ben.registers()
  assert.equal((await ben.does(api.markAllAsRead)).complete, true)
  assert.equal(await unreadOf(ben), 0)
  const [event] = await ben.receives('update_message_flags')
  assert.deepEqual([event?.op, event?.flag, event?.messages, event?.all], ['add', 'read', [], true])
})

test('messages sent after marking all as read are unread', async () => {
  const { ann, ben } = await setUp()
  await ben.does(api.markAllAsRead)
  await ann.sends({ channel: 'verona', topic: 'a' })
  assert.equal(await unreadOf(ben), 1)
})

test('marking a channel as read affects only that channel', async () => {
  const { ann, ben, channel, ids } = await setUp()
  await ben.registers()
  await ben.does(api.markChannelAsRead, { stream_id: channel })
  assert.equal(await unreadOf(ben), 1)
  assert.deepEqual((await ben.receives('update_message_flags'))[0]?.messages, ids.slice(0, 3))
  const hidden = await inChannel('den', [ann], { invite_only: true })
  const missing = await ben.isRefused(api.markChannelAsRead, { stream_id: 999_999 })
  assert.deepEqual(await ben.isRefused(api.markChannelAsRead, { stream_id: hidden }), missing)
})

test('marking a topic as read ignores the case of its name', async () => {
  const { ben, gus, mona, channel, ids } = await setUp()
  await ben.registers()
  await ben.does(api.markTopicAsRead, { stream_id: channel, topic_name: 'A' })
  assert.deepEqual((await ben.receives('update_message_flags'))[0]?.messages, [ids[0], ids[2]])
  assert.equal((await gus.isRefused(api.markTopicAsRead, { stream_id: channel, topic_name: 'x' })).code, 'BAD_REQUEST')
  assert.equal((await mona.isRefused(api.markTopicAsRead, { stream_id: channel, topic_name: 'a' })).code, 'BAD_REQUEST')
})

test('flags in a narrow are updated page by page', async () => {
  const { ben, ids } = await setUp()
  const narrow = [{ operator: 'channel', operand: 'verona' }]
  const first = await ben.does(api.updateFlagsInNarrow, around(ids, { narrow, num_after: 1 }))
  const { processed_count, updated_count, first_processed_id, last_processed_id } = first
  assert.deepEqual([processed_count, updated_count, first_processed_id, last_processed_id], [2, 2, ids[0], ids[1]])
  assert.deepEqual([first.found_oldest, first.found_newest], [false, false])
  const anchor = first.last_processed_id!
  const next = await ben.does(api.updateFlagsInNarrow, around(ids, { narrow, anchor, include_anchor: false }))
  assert.deepEqual([next.processed_count, next.updated_count, next.found_newest], [1, 1, true])
  assert.equal(await unreadOf(ben), 1)
})

test('an empty page is not an error', async () => {
  const { ben, ids } = await setUp()
  const narrow = [{ operator: 'topic', operand: 'nowhere' }]
  const answer = await ben.does(api.updateFlagsInNarrow, around(ids, { narrow }))
  assert.deepEqual([answer.processed_count, answer.first_processed_id, answer.last_processed_id], [0, null, null])
})

test('a range that is too large is limited', async () => {
  const { ben, ids } = await setUp()
  const answer = await ben.does(api.updateFlagsInNarrow, around(ids, { num_before: 9000, num_after: 9000 }))
  assert.equal(answer.found_newest, true)
})

test('starring and marking as unread work in a narrow; other flags and bad narrows are refused', async () => {
  const { ben, ids } = await setUp()
  const starred = await ben.does(api.updateFlagsInNarrow, around(ids, { flag: 'starred', anchor: 'oldest' }))
  assert.ok(starred.updated_count >= 4)
  const again = await ben.does(api.updateFlagsInNarrow, around(ids, { flag: 'starred', anchor: 'oldest' }))
  assert.equal(again.updated_count, 0)
  await ben.does(api.markAllAsRead)
  await ben.does(api.updateFlagsInNarrow, around(ids, { op: 'remove' }))
  assert.equal(await unreadOf(ben), 4)
  assert.equal((await ben.isRefused(api.updateFlagsInNarrow, around(ids, { flag: 'mentioned' }))).code, 'BAD_REQUEST')
  const narrow = [{ operator: 'nonsense', operand: 'x' }]
  assert.equal((await ben.isRefused(api.updateFlagsInNarrow, around(ids, { narrow }))).code, 'BAD_NARROW')
  const { anchor: _, ...without } = around(ids)
  assert.equal((await ben.isRefused(api.updateFlagsInNarrow, without)).code, 'REQUEST_VARIABLE_MISSING')
})

test('events for bulk reading lead to the same state as a new snapshot', async () => {
  const { ben, ids, channel } = await setUp()
  await verifyEvents([ben], () => ben.does(api.updateFlagsInNarrow, around(ids, { num_after: 1 })))
  await verifyEvents([ben], () => ben.does(api.markTopicAsRead, { stream_id: channel, topic_name: 'a' }))
  await verifyEvents([ben], () => ben.does(api.markAllAsRead))
})

test('messages that the caller received can be matched against a narrow', async () => {
  const { ben, mona, ids } = await setUp()
  const narrow = [{ operator: 'topic', operand: 'a' }]
  const { messages: found } = await ben.does(messages.matchNarrow, { msg_ids: ids, narrow })
  assert.deepEqual(Object.keys(found).map(Number), [ids[0], ids[2]])
  assert.deepEqual(found[String(ids[0])], { match_content: '<p>hello</p>', match_subject: 'a' })
  const search = [{ operator: 'search', operand: 'hello' }]
  const { messages: hits } = await ben.does(messages.matchNarrow, { msg_ids: ids, narrow: search })
  assert.match(hits[String(ids[0])]!.match_content, /highlight/)
  const inVerona = [{ operator: 'channel', operand: 'verona' }]
  assert.deepEqual((await mona.does(messages.matchNarrow, { msg_ids: ids, narrow: inVerona })).messages, {})
})
