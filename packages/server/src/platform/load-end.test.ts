import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadEnd } from './load-end.ts'

const quiet = 0.005
const busy = 0.9
const megabyte = 1024 * 1024

/** Passes values of the event loop and the heap in megabytes, and returns what each was answered. */
function answersOf(...states: [busyShare: number, megabytes: number][]): boolean[] {
  const load = new LoadEnd()
  return states.map(([share, megabytes]) => load.isReached(share, megabytes * megabyte))
}

test('load ends when the process is quiet again', () => {
  assert.deepEqual(answersOf([quiet, 50], [busy, 250], [busy, 250], [quiet, 250]), [false, false, false, true])
})

test('load that hardly made the heap grow does not count', () => {
  assert.deepEqual(answersOf([quiet, 50], [busy, 100], [quiet, 100]), [false, false, false])
})

test('a heap that is still large does not count again after a little work', () => {
  const states = answersOf([quiet, 50], [busy, 250], [quiet, 250], [busy, 255], [quiet, 255])
  assert.deepEqual(states, [false, false, true, false, false])
})

test('the next load counts when the heap has shrunk since', () => {
  const states = answersOf([quiet, 50], [busy, 250], [quiet, 250], [quiet, 60], [busy, 250], [quiet, 250])
  assert.deepEqual(states, [false, false, true, false, false, true])
})
