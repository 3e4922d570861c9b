import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@parley/client/store/store'
import { mentionsIn, warningsOf } from './warnings.ts'

const users = {
  byId: new Map([5, 6].map((id) => [id, { user_id: id, full_name: `User ${id}` }])),
} as unknown as Store['users']
const store = { users, topics: { isMuted: (_: number, topic: string) => topic === 'noise' } } as unknown as Store
const people = (count: number) => Array.from({ length: count }, (_, index) => index + 100)
const kinds = (text: string, topic = 'plans', subscribers: number[] | undefined = [5, ...people(20)]) =>
  warningsOf(text, { stream_id: 1, topic }, { store, subscribers }).map(({ kind }) => kind)

test('an ordinary message has no warnings', () => {
  assert.deepEqual(kinds('Hello @**User 5|5**'), [])
})

test('a wildcard mention warns in a large channel only', () => {
  assert.deepEqual(kinds('@**all** lunch'), ['wildcard'])
  assert.deepEqual(kinds('@**all** lunch', 'plans', people(3)), [])
})

test('muted and resolved topics warn once something is typed', () => {
  assert.deepEqual(kinds('hi', 'noise'), ['muted'])
  assert.deepEqual(kinds('hi', '✔ plans'), ['resolved'])
  assert.deepEqual(kinds('', '✔ plans'), [])
})

test('mentioned users who are not subscribed are named', () => {
  const [warning] = warningsOf('@**User 6** look', { stream_id: 1, topic: '' }, { store, subscribers: [5] })
  assert.deepEqual(warning, { kind: 'not subscribed', userIds: [6] })
})

test('while subscribers are unknown, nobody is said to be missing', () => {
  assert.deepEqual(warningsOf('@**User 6**', { stream_id: 1, topic: '' }, { store, subscribers: undefined }), [])
})

test('silent mentions and code notify nobody', () => {
  for (const text of ['@_**User 6**', '`@**User 6**`', '```\n@**all**\n```', '```\n@**all**'])
    assert.deepEqual(mentionsIn(text, users).names, [], text)
})

test('direct messages have no warnings', () => {
  assert.deepEqual(warningsOf('@**all**', { user_ids: [5] }, { store, subscribers: undefined }), [])
})
