import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownMessage } from '@parley/client/messages/cache'
import type { Store } from '@parley/client/store/store'
import { termText } from '../feed/titles.ts'
import { excerpt, localMatches, narrowOf, suggestTerms, takeTerms } from './query.ts'

const store = {
  channels: {
    subscribed: new Map([[7, { stream_id: 7, name: 'Design', description: 'How it looks' }]]),
    neverSubscribed: new Map(),
  },
  users: { byId: new Map([[5, { user_id: 5, full_name: 'Ann Lee', email: 'ann@example.com' }]]) },
} as unknown as Store
const inDesign = { operator: 'channel', operand: 7 }
const labels = (text: string, topics: string[] = []) => suggestTerms(text, store, topics).map(({ label }) => label)

test('an operator becomes a term when a space follows it', () => {
  assert.deepEqual(takeTerms('channel:design', store), { terms: [], text: 'channel:design' })
  assert.deepEqual(takeTerms('channel:design ', store), { terms: [inDesign], text: '' })
  assert.deepEqual(takeTerms('plan -has:link b', store), {
    terms: [{ operator: 'has', operand: 'link', negated: true }],
    text: 'plan b',
  })
})

test('an operator with an unknown name stays text', () => {
  assert.deepEqual(takeTerms('channel:nowhere ', store), { terms: [], text: 'channel:nowhere ' })
  assert.deepEqual(takeTerms('https://example.com ', store), { terms: [], text: 'https://example.com ' })
})

test('terms are shown with names', () => {
  assert.equal(termText(inDesign, store), 'channel: Design')
  assert.equal(termText({ operator: 'dm', operand: [5], negated: true }, store), '-dm: Ann Lee')
})

test('operators and their operands are suggested while they are typed', () => {
  assert.deepEqual(labels('se'), ['sender:'])
  assert.deepEqual(labels('plan sender:an'), ['sender: Ann Lee'])
  assert.deepEqual(labels('-is:st'), ['-is: starred'])
  assert.deepEqual(labels('topic:lu', ['lunch', 'dinner']), ['topic: lunch'])
  assert.deepEqual(labels('plan '), [])
})

test('a suggestion leaves the words before it', () => {
  const [suggestion] = suggestTerms('plan channel:des', store, [])
  assert.deepEqual([suggestion?.text, suggestion?.term], ['plan', inDesign])
})

test('words are added to the terms', () => {
  assert.deepEqual(narrowOf([inDesign], ' new logo '), [inDesign, { operator: 'search', operand: 'new logo' }])
  assert.deepEqual(narrowOf([inDesign], ' '), [inDesign])
  assert.deepEqual(narrowOf([], 'logo -channel:des'), [{ operator: 'search', operand: 'logo' }])
})

const message = (id: number, content: string, more: object = {}) =>
  ({ id, content, subject: 'logo', type: 'stream', stream_id: 7, flags: [], ...more }) as unknown as ShownMessage

test('messages that the client has are found by all words, the newest first', () => {
  const all = [message(1, '<p>A new plan</p>'), message(2, '<p>No plan</p>'), message(3, '<p>The PLAN is new</p>')]
  const ids = (text: string, terms = [inDesign]) => localMatches(all, terms, text, 5).map(({ id }) => id)
  assert.deepEqual(ids('new plan'), [3, 1])
  assert.deepEqual(ids('plan', [{ operator: 'channel', operand: 8 }]), [])
})

test('messages are not found locally by what only the server knows', () => {
  assert.deepEqual(localMatches([message(1, '<p>x</p>')], [{ operator: 'has', operand: 'link' } as never], '', 5), [])
})

test('an excerpt shows the words that were found, also far into a message', () => {
  const pieces = excerpt(`${'long '.repeat(40)}budget (2026)`, ['(2026)'])
  assert.ok(pieces[0]!.text.startsWith('…'))
  assert.deepEqual(pieces[1], { text: '(2026)', isFound: true })
  assert.deepEqual(excerpt('nothing of it', ['x']), [{ text: 'nothing of it', isFound: false }])
})
