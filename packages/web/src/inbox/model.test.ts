import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore } from '@parley/client/store/store'
import { groupConversations, nextUnread, unreadConversations } from './model.ts'

const unread = (topic: string, id: number) => ({ stream_id: 1, topic, unread_message_ids: [id] })
const store = createStore({
  user_id: 9,
  user_topics: [{ stream_id: 1, topic_name: 'c', last_updated: 1, visibility_policy: 3 }],
  unread_msgs: {
    count: 4,
    mentions: [],
    huddles: [],
    old_unreads_missing: false,
    pms: [{ other_user_id: 5, sender_id: 5, unread_message_ids: [4] }],
    streams: [unread('a', 1), unread('b', 2), unread('c', 3)],
  },
})
const next = (kind: 'topic' | 'followed' | 'direct', open?: string) => nextUnread(store, kind, open)?.key

test('the next unread topic follows the open one, and the first follows the last', () => {
  assert.equal(next('topic'), '1 a')
  assert.equal(next('topic', '1 a'), '1 b')
  assert.equal(next('topic', '1 c'), '1 a')
})

test('followed topics and direct conversations are found among their own kind', () => {
  assert.equal(next('followed', '1 a'), '1 c')
  assert.equal(next('direct', '1 a'), 'dm 5')
})

test('the open conversation is not its own next one', () => {
  assert.equal(next('direct', 'dm 5'), undefined)
})

test('direct messages come first, then the channels, each with its conversations', () => {
  const streams = [unread('a', 5), { ...unread('b', 7), stream_id: 2 }, unread('c', 3)]
  const unread_msgs = { count: 4, mentions: [], huddles: [], old_unreads_missing: false, streams, pms: [] }
  const pms = [{ other_user_id: 5, sender_id: 5, unread_message_ids: [4] }]
  const groups = groupConversations(
    unreadConversations(createStore({ user_id: 9, unread_msgs: { ...unread_msgs, pms } })),
  )
  assert.deepEqual([...groups.keys()], ['direct', 2, 1])
  assert.deepEqual(
    groups.get(1)!.map(({ key }) => key),
    ['1 a', '1 c'],
  )
})
