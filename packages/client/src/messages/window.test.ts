import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueEvent } from '@parley/api/events'
import { scripted } from '../testing.ts'
import { MessageCache, type ShownMessage } from './cache.ts'
import { narrows } from './narrow.ts'
import { MessageWindow } from './window.ts'

const topic = narrows.topic(7, 'lunch')

function message(id: number, subject = 'lunch'): ShownMessage {
  return {
    id,
    type: 'stream',
    stream_id: 7,
    subject,
    sender_id: 2,
    flags: [],
    reactions: [],
  } as unknown as ShownMessage
}

function page(ids: number[], found_oldest: boolean, found_newest: boolean) {
  return { messages: ids.map((id) => message(id)), found_oldest, found_newest, anchor: ids.at(-1) }
}

/** A window whose requests get these responses. */
function windowOf(...answers: object[]) {
  const { client, received } = scripted(...answers)
  const cache = new MessageCache()
  const unsent: ShownMessage[] = []
  const window = new MessageWindow(topic, { client, cache, viewer: 1, changed: () => {}, unsent: () => unsent })
  const apply = (event: object) => {
    cache.apply(event as QueueEvent)
    window.apply(event as QueueEvent)
  }
  return { window, cache, received, apply, unsent }
}

test('messages that are not sent yet stand at the end, wherever the window was opened', async () => {
  const { window, unsent } = windowOf(page([5], true, false), page([5, 6], true, true))
  unsent.push(message(6.0001), message(6.0002, 'dinner'))
  await window.open(5)
  assert.deepEqual(window.ids, [5])
  await window.loadMore('newer')
  assert.deepEqual(window.ids, [5, 6, 6.0001])
})

test('an edit changes the flags of a message, a new rendering does not', async () => {
  const { window, cache, apply } = windowOf(page([5], true, true))
  await window.open(5)
  const edit = { type: 'update_message', message_id: 5, message_ids: [5], rendered_content: '<p>new</p>' }
  apply({ ...edit, flags: ['mentioned'], rendering_only: true })
  assert.deepEqual(cache.byId.get(5)!.flags, [])
  apply({ ...edit, flags: ['mentioned'] })
  assert.deepEqual(cache.byId.get(5)!.flags, ['mentioned'])
})

test('a stored window is contiguous and says whether it begins at the oldest message', async () => {
  const { window } = windowOf(page([2, 3, 4], true, true))
  await window.open('newest')
  assert.deepEqual(
    window.save(2, (id) => id !== 4),
    { narrow: topic, ids: [2, 3], hasOldest: true, hasNewest: true },
  )
  assert.deepEqual(
    window.save(2, () => true),
    { narrow: topic, ids: [3, 4], hasOldest: false, hasNewest: true },
  )
})

test('a window grows at both ends, and asks once at a time', async () => {
  const { window, received } = windowOf(
    page([5, 6], false, false),
    page([3, 4, 5], true, false),
    page([6, 7], false, true),
  )
  await window.open(5)
  await Promise.all([window.loadMore('older'), window.loadMore('older')])
  await window.loadMore('newer')
  assert.deepEqual(window.ids, [3, 4, 5, 6, 7])
  await window.loadMore('older')
  assert.equal(received.length, 3)
})

test('an answer for an end that the window no longer has adds nothing', async () => {
  const { window } = windowOf(page([1, 2], true, false), page([5, 6], false, true), page([2, 3, 4, 5, 6], true, true))
  await window.open(1)
  await Promise.all([window.open('newest'), window.loadMore('newer')])
  assert.deepEqual(window.ids, [5, 6])
})

test('a new message is appended only where the end is shown', async () => {
  const { window, apply } = windowOf(page([5], true, false), page([5], true, true))
  await window.open(5)
  apply({ type: 'message', message: message(6), flags: [] })
  assert.deepEqual(window.ids, [5])
  await window.open('newest')
  apply({ type: 'message', message: message(7), flags: [] })
  apply({ type: 'message', message: message(8, 'dinner'), flags: [] })
  assert.deepEqual(window.ids, [5, 7])
})

test('a restored message is inserted where it was, if the window shows that place', async () => {
  const { window, apply } = windowOf(page([5, 8], false, false))
  await window.open(5)
  for (const id of [3, 6, 9]) apply({ type: 'message', message: message(id), flags: [] })
  assert.deepEqual(window.ids, [5, 6, 8])
})

test('a message that arrives before an answer without it is not lost', async () => {
  const { window, apply } = windowOf(page([5], true, false), page([5, 6], true, true))
  await window.open(5)
  const loading = window.open('newest')
  apply({ type: 'message', message: message(7), flags: [] })
  await loading
  assert.deepEqual(window.ids, [5, 6, 7])
})

test('moved messages leave the window and enter it in order', async () => {
  const { window, cache, apply } = windowOf(page([2, 4], true, true))
  await window.open('newest')
  cache.add([message(3, 'dinner')])
  apply({ type: 'update_message', message_id: 4, message_ids: [4], subject: 'dinner' })
  assert.deepEqual(window.ids, [2])
  apply({ type: 'update_message', message_id: 3, message_ids: [3, 4], subject: 'Lunch' })
  assert.deepEqual(window.ids, [2, 3, 4])
})

test('a failed load keeps what the window has', async () => {
  const { window } = windowOf(page([5], false, true), { status: 400 })
  await window.open('newest')
  await window.loadMore('older')
  assert.deepEqual(window.ids, [5])
  assert.ok(window.error)
})
