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
    ended: new Set(),
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
  'a queue that was ended': ({ ended }) => void ended.add('queue'),
  'sends answered in the wrong order': ({ acknowledged }) => void acknowledged.get('ann')!.reverse(),
}

for (const [name, break_] of Object.entries(sabotage)) {
  test(`the harness notices ${name}`, () => {
    const record = kept()
    break_(record)
    assert.notDeepEqual(brokenPromises(record), [])
  })
}

/** The first queue delivered a message that was lost, and ended; the second one begins later. */
function continued(): CrashRecord {
  const record = kept()
  const all = record.received.get('queue')!
  const lost = { eventId: 2500, messageId: 1_000_002, content: 'lost' }
  record.received = new Map([
    ['queue', [...all.slice(0, 2), lost]],
    ['queue 2', all.slice(3)],
  ])
  record.ended.add('queue')
  return record
}

test('where queues may end, the next one continues later', () => {
  assert.deepEqual(brokenPromises(continued(), true), [])
})

test('the harness notices a gap before the end of a queue, and after the start of the next one', () => {
  const gaps: ((record: CrashRecord) => void)[] = [
    ({ received }) => void received.get('queue')!.shift(),
    ({ received }) => void received.set('queue 2', kept().received.get('queue')!.toSpliced(1, 1)),
    ({ received }) => void received.get('queue 2')!.pop(),
  ]
  for (const makeGap of gaps) {
    const record = continued()
    makeGap(record)
    assert.notDeepEqual(brokenPromises(record, true), [])
  }
})
