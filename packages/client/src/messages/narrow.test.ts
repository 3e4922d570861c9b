import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageObject } from '@parley/api/conversations/messages'
import { channelOf, matches, type Narrow, narrowKey, narrows, othersOf, topicOf, usersOf } from './narrow.ts'

const viewer = 1

function message(more: object): MessageObject {
  return {
    type: 'stream',
    stream_id: 7,
    subject: 'Lunch',
    sender_id: 2,
    flags: [],
    ...more,
  } as unknown as MessageObject
}

const direct = (...ids: number[]) => message({ type: 'private', display_recipient: ids.map((id) => ({ id })) })

test('a topic matches without regard to case, and only in its channel', () => {
  assert.equal(matches(narrows.topic(7, 'lunch'), message({}), viewer), true)
  assert.equal(matches(narrows.topic(8, 'lunch'), message({}), viewer), false)
  assert.equal(matches(narrows.topic(7, 'dinner'), message({}), viewer), false)
})

test('a direct conversation matches its exact users, the viewer aside', () => {
  assert.equal(matches(narrows.direct([3, 2]), direct(3, 1, 2), viewer), true)
  assert.equal(matches(narrows.direct([2]), direct(3, 1, 2), viewer), false)
  assert.deepEqual(othersOf(direct(1), viewer), [1])
})

test('flags decide about mentions, stars and unread messages', () => {
  assert.equal(matches(narrows.is('starred'), message({ flags: ['starred'] }), viewer), true)
  assert.equal(matches(narrows.is('mentioned'), message({ flags: ['topic_wildcard_mentioned'] }), viewer), true)
  assert.equal(matches(narrows.is('unread'), message({ flags: ['read'] }), viewer), false)
})

test('a negated term excludes what it names', () => {
  const narrow: Narrow = [{ operator: 'sender', operand: 2, negated: true }]
  assert.equal(matches(narrow, message({}), viewer), false)
  assert.equal(matches(narrow, message({ sender_id: 3 }), viewer), true)
})

test('only the server knows what a search finds, but a wrong channel is certain', () => {
  const search = { operator: 'search', operand: 'soup' }
  assert.equal(matches([search], message({}), viewer), undefined)
  assert.equal(matches([...narrows.channel(8), search], message({}), viewer), false)
})

test('equal narrows have the same key, and tell what they show', () => {
  assert.equal(narrowKey(narrows.topic(7, 'LUNCH')), narrowKey(narrows.topic(7, 'lunch')))
  assert.equal(narrowKey(narrows.direct([3, 2])), narrowKey(narrows.direct([2, 3])))
  assert.deepEqual(topicOf(narrows.topic(7, 'x')), { stream_id: 7, topic: 'x' })
  assert.equal(topicOf(narrows.channel(7)), undefined)
  assert.deepEqual(usersOf(narrows.direct([5])), [5])
})

test('a search in a conversation, and everything but one, are not that conversation', () => {
  const except = (narrow: Narrow): Narrow => narrow.map((term) => ({ ...term, negated: true }))
  assert.equal(topicOf([...narrows.topic(7, 'x'), { operator: 'search', operand: 'soup' }]), undefined)
  assert.equal(channelOf(except(narrows.channel(7))), undefined)
  assert.equal(usersOf(except(narrows.direct([5]))), undefined)
})
