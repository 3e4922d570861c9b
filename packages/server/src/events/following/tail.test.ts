import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogEvent, Personal } from '../log.ts'
import { Tail } from './tail.ts'

function events(count: number, personal: Personal | null): LogEvent[] {
  const common = {
    type: 'update_message',
    payload: '{"type":"update_message"}',
    audience: { channel: 7 },
    internal: null,
  }
  return Array.from({ length: count }, (_, n) => ({ ...common, seq: n + 1, personal }))
}

test('the tail keeps thousands of events', () => {
  const tail = new Tail()

  tail.append(events(5000, null))

  assert.equal(tail.after(0)?.length, 5000)
})

test('the tail keeps fewer events if they name many users', () => {
  const tail = new Tail()
  const instead = Object.fromEntries(Array.from({ length: 5000 }, (_, user) => [user, ['read']]))

  tail.append(events(1000, { everyone: [], instead }))

  assert.equal(tail.after(750), undefined)
})
