import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Narrow, narrows } from '@parley/client/messages/narrow'
import type { Store } from '@parley/client/store/store'
import { titleOf } from './titles.ts'

const store = {
  channels: { subscribed: new Map([[7, { name: 'design' }]]), neverSubscribed: new Map(), left: new Map() },
  users: { byId: new Map([[5, { user_id: 5, full_name: 'Ann Lee' }]]) },
} as unknown as Store
const words = { operator: 'search', operand: 'soup' }

test('a conversation is named by itself', () => {
  assert.equal(titleOf(narrows.topic(7, '✔ lunch'), store), 'lunch')
  assert.equal(titleOf(narrows.channel(7), store), 'design')
  assert.equal(titleOf(narrows.is('starred'), store), 'Starred')
})

test('a search names all of its conditions, with names in place of ids', () => {
  const sender: Narrow = [{ operator: 'sender', operand: 5, negated: true }]
  assert.equal(titleOf([...narrows.topic(7, 'lunch'), words], store), 'channel: design topic: lunch soup')
  assert.equal(titleOf([...narrows.is('starred'), ...sender], store), 'is: starred -sender: Ann Lee')
  assert.equal(titleOf([{ operator: 'channel', operand: 7, negated: true }], store), '-channel: design')
})
