import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueEvent } from '@parley/api/events'
import { Typing } from './passing/typing.ts'
import { Presence } from './presence.ts'
import { createStore } from './store.ts'

const me = 1

const channel = (stream_id: number, more: object = {}) => ({ stream_id, name: `channel ${stream_id}`, ...more })

function messageIn(id: number, stream_id: number, subject: string, flags: string[] = []): QueueEvent {
  return { type: 'message', id, flags, message: { id, type: 'stream', stream_id, subject } } as never
}

test('messages in muted topics are unread, but do not count', () => {
  const store = createStore({
    user_id: me,
    subscriptions: [channel(7), channel(8, { is_muted: true })],
    user_topics: [
      { stream_id: 7, topic_name: 'Noise', visibility_policy: 1 },
      { stream_id: 8, topic_name: 'news', visibility_policy: 3 },
    ],
  })
  store.apply(messageIn(1, 7, 'talk'))
  store.apply(messageIn(2, 7, 'noise'))
  store.apply(messageIn(3, 8, 'talk'))
  store.apply(messageIn(4, 8, 'News'))
  assert.equal(store.unread.places.size, 4)
  assert.equal(store.unread.count, 2)
})

test('a call to everybody in a muted topic is no mention, a personal one is', () => {
  const store = createStore({ user_id: me, subscriptions: [channel(8, { is_muted: true })] })
  store.apply(messageIn(1, 8, 'talk', ['stream_wildcard_mentioned']))
  store.apply(messageIn(2, 8, 'talk', ['mentioned']))
  assert.deepEqual([...store.unread.mentions], [2])
})

test('messages in channels to which the viewer is not subscribed are not unread', () => {
  const store = createStore({ user_id: me, subscriptions: [] })
  store.apply(messageIn(1, 9, 'talk'))
  assert.equal(store.unread.places.size, 0)
})

test('marking all as read leaves nothing unread', () => {
  const store = createStore({ user_id: me, subscriptions: [channel(7)] })
  store.apply(messageIn(1, 7, 'talk', ['mentioned']))
  store.apply({
    type: 'update_message_flags',
    id: 2,
    op: 'add',
    operation: 'add',
    flag: 'read',
    messages: [],
    all: true,
  })
  assert.equal(store.unread.count, 0)
  assert.equal(store.unread.mentions.size, 0)
})

test('members come into a group and leave it', () => {
  const store = createStore({ user_id: me, realm_user_groups: [{ id: 5, members: [2, 9] }] })
  store.apply({ type: 'user_group', id: 1, op: 'add_members', group_id: 5, user_ids: [4] })
  store.apply({ type: 'user_group', id: 2, op: 'remove_members', group_id: 5, user_ids: [9] })
  store.apply({ type: 'user_group', id: 3, op: 'add_members', group_id: 6, user_ids: [4] })
  assert.deepEqual(store.groups.byId.get(5)!.members, [2, 4])
  assert.equal(store.groups.byId.size, 1)
})

function typing(op: 'start' | 'stop', user_id: number): QueueEvent {
  const sender = { user_id, email: '' }
  return { type: 'typing', id: 1, op, message_type: 'stream', sender, stream_id: 7, topic: 'Talk' }
}

test('a user is typing until they stop or the event expires', () => {
  let now = 0
  const typists = new Typing({ server_typing_started_expiry_period_milliseconds: 100 }, () => now)
  typists.apply(typing('start', 2))
  typists.apply(typing('start', 3))
  assert.deepEqual(
    typists.inTopic(7, 'talk').map(({ id }) => id),
    [2, 3],
  )
  typists.apply(typing('stop', 2))
  assert.deepEqual(
    typists.inTopic(7, 'talk').map(({ id }) => id),
    [3],
  )
  now = 100
  assert.deepEqual(
    typists.inTopic(7, 'talk').map(({ id }) => id),
    [],
  )
})

test('a bot that works is listed with its note until it types or stops', () => {
  const typists = new Typing({})
  typists.apply({ ...typing('start', 2), activity: 'working', note: 'reading' } as never)
  assert.deepEqual(typists.inTopic(7, 'talk'), [{ id: 2, isWorking: true, note: 'reading' }])
  typists.apply(typing('stop', 2))
  assert.deepEqual(typists.inTopic(7, 'talk'), [])
})

test('typing ends with the message', () => {
  const typists = new Typing({})
  typists.apply(typing('start', 2))
  typists.apply(typing('start', 3))
  const message = { id: 1, type: 'stream', stream_id: 7, subject: 'talk', sender_id: 2 }
  typists.apply({ type: 'message', id: 2, flags: [], message } as never)
  assert.deepEqual(
    typists.inTopic(7, 'talk').map(({ id }) => id),
    [3],
  )
})

test('typing among people is found by them in any order', () => {
  const typists = new Typing({})
  const people = [1, 2, 3].map((user_id) => ({ user_id, email: '' }))
  typists.apply({
    type: 'typing',
    id: 1,
    op: 'start',
    message_type: 'direct',
    sender: people[1]!,
    recipients: people,
  })
  assert.deepEqual(
    typists.among([3, 1, 2]).map(({ id }) => id),
    [2],
  )
  assert.deepEqual(
    typists.among([1, 2]).map(({ id }) => id),
    [],
  )
})

const here = { client: 'website', status: 'active' as const, timestamp: 60, pushable: false }

test('presence by address keeps the record of each client and their sum', () => {
  const presence = new Presence({ presences: {} })
  const event = { type: 'presence', id: 1, user_id: 2, server_timestamp: 61.5, presence: { website: here } } as const
  presence.apply({ ...event, email: 'ben@x.example' })
  assert.deepEqual(presence.snapshot().presences, {
    'ben@x.example': { aggregated: { client: 'website', status: 'active', timestamp: 60 }, website: here },
  })
})

test('presence by id keeps when a user was last active', () => {
  const presence = new Presence({ presences: { 2: { active_timestamp: 5, idle_timestamp: 9 } } })
  const idle = { website: { ...here, status: 'idle' as const } }
  presence.apply({ type: 'presence', id: 1, user_id: 2, server_timestamp: 61.5, presence: idle })
  assert.deepEqual(presence.snapshot().presences, { 2: { active_timestamp: 5, idle_timestamp: 60 } })
})
