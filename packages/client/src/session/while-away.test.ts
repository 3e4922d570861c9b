import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueEvent } from '@parley/api/events'
import { createStore } from '../store/store.ts'
import { WhileAway } from './while-away.ts'

const viewer = 1
const [ben, ann] = [2, viewer]

function observed(...events: object[]) {
  const store = createStore({
    user_id: viewer,
    realm_users: [{ user_id: viewer, full_name: 'Ann', email: 'ann@x.example' }],
    subscriptions: [
      { stream_id: 3, name: 'verona', is_muted: false },
      { stream_id: 4, name: 'noise', is_muted: true },
    ],
  } as never)
  const away = new WhileAway()
  events.forEach((event, index) => {
    away.observe({ id: index, ...event } as QueueEvent, store, viewer)
  })
  return away.items
}

const moved = (from: string, to: string, more: object = {}) => ({
  type: 'update_message',
  user_id: ben,
  message_ids: [5],
  propagate_mode: 'change_all',
  stream_id: 3,
  orig_subject: from,
  subject: to,
  ...more,
})

test('renamed and resolved topics are listed, each once and from where the viewer knows it', () => {
  const kinds = observed(moved('tea', 'coffee'), moved('coffee', 'cocoa'), moved('plan', '✔ plan'))
  assert.deepEqual(
    kinds.map((item) => ('from' in item ? [item.kind, item.from.topic, item.to.topic] : item.kind)),
    [
      ['moved', 'tea', 'cocoa'],
      ['resolved', 'plan', '✔ plan'],
    ],
  )
})

test('what was undone is not listed', () => {
  assert.deepEqual(observed(moved('tea', '✔ tea'), moved('✔ tea', 'tea')), [])
})

test("the viewer's own moves, moves of single messages and muted channels are not listed", () => {
  const own = moved('tea', 'coffee', { user_id: ann })
  const single = moved('tea', 'coffee', { propagate_mode: 'change_one' })
  assert.deepEqual(observed(own, single, moved('tea', 'coffee', { stream_id: 4 })), [])
})

const message = (content: string, more: object = {}, flags: string[] = []) => ({
  type: 'message',
  flags,
  message: { id: 9, sender_id: ben, type: 'stream', stream_id: 3, subject: 'tea', content, ...more },
})

test('questions in direct messages and mentions are listed, other messages are not', () => {
  const people = { type: 'private', display_recipient: [{ id: ann }, { id: ben }] }
  const items = observed(
    message('<p>Are you there?</p>', people),
    message('<p>@Ann, ready?</p>', {}, ['mentioned']),
    message('<p>Anyone?</p>'),
    message('<p>See x.example/?a=1</p>', { ...people, display_recipient: [{ id: ann }, { id: 7 }] }),
  )
  assert.deepEqual(
    items.map((item) => item.kind === 'question' && item.to),
    [{ user_ids: [ben] }, { stream_id: 3, topic: 'tea' }],
  )
})

test('a renamed channel is listed with the name that the viewer knows', () => {
  const renamed = (name: string) => ({ type: 'stream', op: 'update', stream_id: 3, property: 'name', name, value: 'x' })
  assert.deepEqual(observed(renamed('verona'), renamed('padua')), [
    { kind: 'channel renamed', stream_id: 3, name: 'verona' },
  ])
})
