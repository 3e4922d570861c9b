import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversationOf, hashOf } from './conversation.ts'

const direct = (...ids: number[]) => ({
  id: 30,
  type: 'private' as const,
  subject: '',
  display_recipient: ids.map((id) => ({ id, full_name: `User ${id}`, email: '', is_mirror_dummy: false })),
})
const hashFor = (viewer: number, ...ids: number[]) => hashOf(conversationOf({ id: viewer }, direct(...ids)), 30)

test('the link to a direct message names the others', () => {
  assert.equal(hashFor(1, 1, 2, 3), '#narrow/dm/2,3-dm/near/30')
})

test('the link to a message to oneself names the viewer', () => {
  assert.equal(hashFor(1, 1), '#narrow/dm/1-dm/near/30')
})
