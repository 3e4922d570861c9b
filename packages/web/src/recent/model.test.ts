import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedConversation } from '@parley/client/messages/conversation-list'
import type { Store } from '@parley/client/store/store'
import { recentRows } from './model.ts'

const viewer = 1
const users = new Map([
  [1, { full_name: 'Ann' }],
  [2, { full_name: 'Ben' }],
  [4, { full_name: 'Cho' }],
])

function storeWith(more: object = {}): Store {
  return {
    users: { byId: users, systemBots: [] },
    channels: { subscribed: new Map([[3, { name: 'verona', color: '#123456', invite_only: true }]]) },
    topics: { isMuted: () => false, policyOf: () => 3 },
    mutedUsers: { has: (id: number) => id === 4 },
    unread: { conversations: new Map(), places: new Map(), mentions: new Set(), isIncomplete: false },
    ...more,
  } as unknown as Store
}

function entry(id: number, place: object, key: string): ListedConversation {
  const last = { id, sender_full_name: 'Ben', content: '<p>a &lt; <b>b</b></p>', timestamp: 7, ...place }
  return { key, last: last as ListedConversation['last'], participants: [2], unreadCount: 5 }
}
const topic = entry(9, { type: 'stream', stream_id: 3, subject: '✔ Tea', display_recipient: 'verona' }, '3 ✔ tea')
const direct = (id: number) =>
  entry(8, { type: 'private', subject: '', display_recipient: [{ id: viewer }, { id }] }, `dm ${id}`)

test('a topic shows its channel, its text and its state', () => {
  const [row] = recentRows(storeWith(), [topic], viewer, '')
  assert.deepEqual([row!.title, row!.channel!.name, row!.channel!.isPrivate], ['Tea', 'verona', true])
  assert.deepEqual([row!.text, row!.isResolved, row!.isFollowed, row!.isMuted], ['a < b', true, true, false])
})

test('unread messages and mentions are counted from the store', () => {
  const topicPlace = { stream_id: 3, topic: '✔ tea' }
  const places = new Map([[10, topicPlace]])
  const conversations = new Map([
    ['3 ✔ tea', { place: topicPlace, ids: new Set([9, 10]) }],
    ['dm 2', { place: { user_ids: [2] }, ids: new Set([8]) }],
  ])
  const store = storeWith({ unread: { conversations, places, mentions: new Set([10]), isIncomplete: false } })
  const rows = recentRows(store, [topic, direct(2)], viewer, '')
  assert.deepEqual(
    rows.map(({ unread, hasMention }) => [unread, hasMention]),
    [
      [2, true],
      [1, false],
    ],
  )
})

test('the count of the server is shown where the store does not have all unread messages', () => {
  const incomplete = { conversations: new Map(), places: new Map(), mentions: new Set([7]), isIncomplete: true }
  assert.equal(recentRows(storeWith({ unread: incomplete }), [topic], viewer, '')[0]!.unread, 5)
  assert.equal(recentRows(storeWith(), [topic], viewer, '')[0]!.unread, 0)
})

test('all words of the filter must occur in title, channel or sender', () => {
  const found = (query: string) => recentRows(storeWith(), [topic, direct(2)], viewer, query).map(({ title }) => title)
  assert.deepEqual(found('TEA ver'), ['Tea'])
  assert.deepEqual(found('ben'), ['Tea', 'Ben'])
  assert.deepEqual(found('tea coffee'), [])
})

test('direct conversations with muted users only are left out', () => {
  assert.deepEqual(recentRows(storeWith(), [direct(4)], viewer, ''), [])
})
