import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueEvent } from '@parley/api/events'
import { createStore } from './store.ts'

const [arrives, edit] = [
  { type: 'message', message: { id: 5, type: 'stream', stream_id: 3, subject: 'tea', sender_id: 2 }, flags: [] },
  { type: 'update_message', message_id: 5, message_ids: [5], stream_id: 3, rendered_content: '<p>new</p>' },
] as const

/** Which message each event made a mention. */
function mentionedBy(...events: object[]): (number | undefined)[] {
  const store = createStore({ user_id: 1, subscriptions: [{ stream_id: 3, name: 'verona' }] } as never)
  return events.map((event, index) => {
    store.apply({ id: index, ...event } as unknown as QueueEvent)
    return store.unread.mentionedByEdit
  })
}

test('an edit that adds a mention to an unread message is recognized', () => {
  const mention = { ...edit, flags: ['mentioned'] }
  assert.deepEqual(mentionedBy(arrives, { ...edit, flags: [] }, mention, mention), [undefined, undefined, 5, undefined])
  assert.deepEqual(mentionedBy({ ...arrives, flags: ['mentioned'] }, mention), [undefined, undefined])
  assert.deepEqual(mentionedBy({ ...arrives, flags: ['read'] }, { ...edit, flags: ['read', 'mentioned'] }), [
    undefined,
    undefined,
  ])
})
