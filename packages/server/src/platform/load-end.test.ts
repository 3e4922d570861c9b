import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadEnd } from './load-end.ts'

const quiet = 0.005
const busy = 0.9
const megabyte = 1024 * 1024

type State = [busyShare: number, megabytes: number]

/** Passes values of the event loop and the heap in megabytes, and returns at which of them load ended. */
function endsIn(...states: State[]): number[] {
  const load = new LoadEnd()
  return states.flatMap(([share, megabytes], index) => (load.isReached(share, megabytes * megabyte) ? [index] : []))
}

const often = (count: number, state: State): State[] => Array.from({ length: count }, () => state)

test('load ends once, when the process has been quiet for a while', () => {
  assert.deepEqual(endsIn([quiet, 50], [busy, 250], ...often(9, [quiet, 250])), [4])
})

test('load that pauses for a moment goes on', () => {
  assert.deepEqual(endsIn([quiet, 50], [busy, 250], [quiet, 250], [quiet, 250], [busy, 250], [quiet, 250]), [])
})

test('load that hardly made the heap grow does not count', () => {
  assert.deepEqual(endsIn([quiet, 50], [busy, 100], ...often(5, [quiet, 100])), [])
})

test('a heap that would take long to compact does not count', () => {
  assert.deepEqual(endsIn([quiet, 50], [busy, 900], ...often(5, [quiet, 900])), [])
})

test('the next load counts only after ten minutes', () => {
  const load: State[] = [[busy, 250], ...often(3, [quiet, 250])]
  assert.deepEqual(endsIn([quiet, 50], ...load, ...load), [4])
  assert.deepEqual(endsIn([quiet, 50], ...load, ...often(200, [quiet, 60]), ...load), [4, 208])
})
