import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueEvent } from '@parley/api/events'
import { Changes } from '../session/changes.ts'
import type { Store } from '../store/store.ts'
import { scripted } from '../testing.ts'
import { type ConversationFilter, ConversationList } from './conversation-list.ts'

const viewer = 1
const message = (id: number, subject: string, sender_id = 2) => ({
  id,
  type: 'stream',
  stream_id: 3,
  subject,
  display_recipient: 'verona',
  sender_id,
  content: `<p>${id}</p>`,
  flags: ['read'],
})
const listed = (id: number, subject: string) => ({
  last_message: message(id, subject),
  participants: [2],
  unread_count: 0,
  is_mentioned: false,
  is_muted: false,
  visibility_policy: 0,
})
const page = (found_oldest: boolean, ...conversations: object[]) => ({ conversations, found_oldest })
const arrival = (id: number, subject: string, sender_id = 2, flags: string[] = []) =>
  ({ type: 'message', message: message(id, subject, sender_id), flags }) as unknown as QueueEvent

function newList(filter: ConversationFilter, ...answers: object[]) {
  const { client, received } = scripted(...answers)
  const topics = { isMuted: (_: number, topic: string) => topic === 'muted', policyOf: () => 0 }
  const store = { channels: { subscribed: new Map([[3, {}]]) }, topics } as unknown as Store
  const deps = { client, changes: new Changes(), store, viewerId: viewer }
  return { list: new ConversationList(filter, deps), received }
}

const topicsOf = ({ entries }: ConversationList) => entries.map(({ last }) => last.subject)

test('pages continue before the last conversation, until the end', async () => {
  const { list, received } = newList('all', page(false, listed(9, 'a'), listed(8, 'b')), page(true, listed(7, 'c')))
  await list.reload()
  await list.loadMore()
  await list.loadMore()
  assert.deepEqual(topicsOf(list), ['a', 'b', 'c'])
  assert.deepEqual(
    received.map(({ params }) => params.before),
    [undefined, '8'],
  )
})

test('a new message moves its conversation to the top, with its sender first', async () => {
  const { list } = newList('all', page(true, listed(9, 'a'), listed(8, 'b')))
  await list.reload()
  list.apply(arrival(10, 'B', 4))
  assert.deepEqual(topicsOf(list), ['B', 'a']) // topic names are case-insensitive
  assert.deepEqual([list.entries[0]!.participants, list.entries[0]!.unreadCount], [[4, 2], 1])
})

test('a message of a new conversation enters the list only if it passes the filter', async () => {
  const enters = async (filter: ConversationFilter, event: QueueEvent) => {
    const { list } = newList(filter, page(true))
    await list.reload()
    list.apply(event)
    return list.entries.length === 1
  }
  assert.ok(await enters('all', arrival(10, 'new')))
  assert.ok(await enters('unread', arrival(10, 'new')))
  assert.ok(!(await enters('unread', arrival(10, 'new', viewer, ['read']))))
  assert.ok(!(await enters('unread', arrival(10, 'muted'))))
  assert.ok(await enters('participated', arrival(10, 'new', viewer)))
  assert.ok(!(await enters('participated', arrival(10, 'new'))))
  assert.ok(!(await enters('followed', arrival(10, 'new'))))
})

test('an edit changes the shown text, and a move loads the list again', async () => {
  const { list, received } = newList('all', page(true, listed(9, 'a')), page(true, listed(9, 'moved')))
  await list.reload()
  const edit = { type: 'update_message', message_id: 9, message_ids: [9], rendered_content: '<p>edited</p>' }
  list.apply(edit as unknown as QueueEvent)
  assert.equal(list.entries[0]!.last.content, '<p>edited</p>')
  list.apply({ type: 'update_message', message_id: 9, message_ids: [9], subject: 'moved' } as unknown as QueueEvent)
  await list.loadMore() // waits for the load that is under way
  assert.deepEqual([topicsOf(list), received.length], [['moved'], 2])
})

test('a failed load keeps what is shown and can be repeated', async () => {
  const { list } = newList(
    'all',
    page(true, listed(9, 'a')),
    new TypeError('fetch failed'),
    page(true, listed(10, 'b')),
  )
  await list.reload()
  await list.reload()
  assert.ok(list.error)
  assert.deepEqual(topicsOf(list), ['a'])
  await list.reload()
  assert.deepEqual([list.error, topicsOf(list)], [undefined, ['b']])
})
