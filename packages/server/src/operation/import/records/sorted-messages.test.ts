import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import type { ImportedMessage } from './records.ts'
import { SortedMessages } from './sorted-messages.ts'

function messageAt(at: number, text: string): ImportedMessage {
  return { place: 'a', sender: 'b', at, text, reactions: [], files: [], starredBy: [], followers: [], isPinned: false }
}

test('messages are read in order of time, however many parts they were written in, and again in the same order', async () => {
  const sorted = await SortedMessages.create(tmpdir())
  const count = 3000
  for (let index = 0; index < count; index++) {
    sorted.add(messageAt((index * 7919) % (count / 2), `${index} ${'ä'.repeat(index % 300)}`))
    if (index % 100 === 0) await sorted.settle(true)
  }

  const [first, second] = [await Array.fromAsync(sorted.read()), await Array.fromAsync(sorted.read())]

  await sorted.close()
  assert.equal(first.length, count)
  assert.ok(first.every(({ at }, index) => index === 0 || first[index - 1]!.at <= at))
  assert.deepEqual(first, second)
})
