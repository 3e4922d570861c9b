import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenPromises, type CrashRecord } from './record.ts'

/** A record in which every guarantee holds. */
function kept(): CrashRecord {
  const stored = [1, 2, 3, 4].map((id) => ({ id, content: `message ${id}` }))
  const received = stored.map(({ id, content }) => ({ eventId: id * 1000, messageId: id, content }))
  return {
    acknowledged: new Map([
      ['ann', [stored[0]!, stored[2]!]],
      ['ben', [stored[1]!]],
    ]),
    failures: [],
    unknown: ['message 4', 'message 5'],
    received: new Map([['queue', received]]),
    stored,
    reactions: { acknowledged: [1, 3], received: new Map([['queue', [1, 2, 3]]]), stored: [1, 2, 3] },
  }
}

test('a record in which every guarantee holds has no violations', () => {
  assert.deepEqual(brokenPromises(kept()), [])
})

const sabotage: Record<string, (record: CrashRecord) => void> = {
  'an acknowledged message that is gone': ({ stored }) => void stored.splice(2, 1),
  'an acknowledged message with another text': ({ stored }) =>
    void stored.splice(1, 1, { id: 2, content: 'something else' }),
  'a message stored twice': ({ stored }) => void stored.push({ id: 5, content: 'message 4' }),
  'a lost event': ({ received }) => void received.get('queue')!.splice(1, 1),
  'an event delivered twice': ({ received }) =>
    void received.get('queue')!.splice(1, 0, { ...received.get('queue')![1]!, eventId: 1500 }),
  'events in the wrong order': ({ received }) => void received.get('queue')!.reverse(),
  'event ids that do not grow': ({ received }) => void Object.assign(received.get('queue')![2]!, { eventId: 2000 }),
  'an event about a message that is not stored': ({ received }) =>
    void received.get('queue')!.push({ eventId: 9000, messageId: 9, content: '?' }),
  'an acknowledged reaction that is gone': ({ reactions }) => void reactions.stored.pop(),
  'a lost event about a reaction': ({ reactions }) => void reactions.received.get('queue')!.shift(),
  'an event about a reaction that is not stored': ({ reactions }) => void reactions.received.get('queue')!.push(4),
  'a reaction received twice': ({ reactions }) => void reactions.received.get('queue')!.push(2),
  'sends answered in the wrong order': ({ acknowledged }) => void acknowledged.get('ann')!.reverse(),
}

for (const [name, break_] of Object.entries(sabotage)) {
  test(`the harness notices ${name}`, () => {
    const record = kept()
    break_(record)
    assert.notDeepEqual(brokenPromises(record), [])
  })
}
