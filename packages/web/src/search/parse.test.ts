import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@parley/client/store/store'
import { parseSearch } from './parse.ts'

const store = {
  channels: {
    subscribed: new Map([[7, { stream_id: 7, name: 'Design' }]]),
    neverSubscribed: new Map([[8, { stream_id: 8, name: 'deep sea' }]]),
  },
  users: { byId: new Map([[5, { user_id: 5, full_name: 'Ann Lee', email: 'ann@example.com' }]]) },
} as unknown as Store
const terms = (text: string) => parseSearch(text, store)

test('words without an operator are searched for together', () => {
  assert.deepEqual(terms('budget plan'), [{ operator: 'search', operand: 'budget plan' }])
})

test('channels and senders are found by name, also in quotation marks', () => {
  assert.deepEqual(terms('channel:design sender:"ann lee"'), [
    { operator: 'channel', operand: 7 },
    { operator: 'sender', operand: 5 },
  ])
  assert.deepEqual(terms('channel:"deep sea"'), [{ operator: 'channel', operand: 8 }])
  assert.deepEqual(terms('sender:ann@example.com'), [{ operator: 'sender', operand: 5 }])
})

test('a minus sign negates an operator', () => {
  assert.deepEqual(terms('-is:resolved'), [{ operator: 'is', operand: 'resolved', negated: true }])
})

test('exact words keep their quotation marks, and operators come first', () => {
  assert.deepEqual(terms('"next week" has:link plan'), [
    { operator: 'has', operand: 'link' },
    { operator: 'search', operand: '"next week" plan' },
  ])
})

test('unknown operators and addresses are words', () => {
  assert.deepEqual(terms('note:this https://example.com'), [
    { operator: 'search', operand: 'note:this https://example.com' },
  ])
})

test('nothing typed is no search', () => {
  assert.deepEqual(terms('  '), [])
})
