import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportOptions } from '../run.ts'
import type { ImportedMessage } from './records.ts'
import { TopicNames } from './topics.ts'

const october = Date.UTC(2026, 9, 1)
const november = Date.UTC(2026, 10, 2)

function messageIn(
  thread: { key: string; replies: number; title: string } | undefined,
  isRoot: boolean,
): ImportedMessage {
  return {
    ...{ place: 'dock/cranes', sender: 'zoe', text: isRoot ? 'root' : 'reply', at: isRoot ? october : november },
    ...{ reactions: [], files: [], starredBy: [], followers: [], isPinned: false },
    ...(thread && { thread: { ...thread, at: october, isRoot } }),
  }
}

/** The topics and texts of a first message and of a reply. */
function shown(choice: ImportOptions['threads'], replies: number): string[] {
  const topics = new TopicNames(choice)
  const thread = { key: 'one', replies, title: 'Crane 3' }
  return [true, false].flatMap((isRoot) => {
    const message = messageIn(thread, isRoot)
    return [topics.of(message), topics.textOf(message, 'Cranes')]
  })
}

test('a: threads with three replies have a topic, others are in the month of their first message', () => {
  assert.deepEqual(shown('a', 3), ['Crane 3', 'root', 'Crane 3', 'reply'])
  assert.deepEqual(shown('a', 2), ['2026-10', 'root', '2026-10', 'reply'])
})

test('b: every thread has a topic', () => {
  assert.deepEqual(shown('b', 1), ['Crane 3', 'root', 'Crane 3', 'reply'])
})

test('c: one topic per channel, and replies quote', () => {
  assert.deepEqual(shown('c', 9), ['chat', 'root', 'chat', '> Crane 3\n\nreply'])
})

test('d: first messages stay where they are, and link to the replies', () => {
  assert.deepEqual(shown('d', 1), ['2026-10', 'root\n\n#**Cranes>Crane 3**', 'Crane 3', 'reply'])
})

test('names of topics differ: threads of the same title have the date, then a number', () => {
  const topics = new TopicNames('a')
  const names = ['one', 'two', 'three', 'one'].map((key) =>
    topics.of(messageIn({ key, replies: 3, title: 'Lunch' }, true)),
  )
  assert.deepEqual(names, ['Lunch', 'Lunch (2026-10-01)', 'Lunch (2026-10-01) 2', 'Lunch'])
  assert.equal(topics.of(messageIn({ key: 'four', replies: 3, title: '2026-10' }, true)), 'Thread 2026-10')
})
