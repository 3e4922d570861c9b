import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeOf } from './range.ts'

const size = 10

test('a range is clipped to the size of the file', () => {
  assert.deepEqual(rangeOf('bytes=0-3', size), { start: 0, end: 3 })
  assert.deepEqual(rangeOf('bytes=4-', size), { start: 4, end: 9 })
  assert.deepEqual(rangeOf('bytes=8-99', size), { start: 8, end: 9 })
  assert.deepEqual(rangeOf('bytes=-3', size), { start: 7, end: 9 })
  assert.deepEqual(rangeOf('bytes=-99', size), { start: 0, end: 9 })
})

test('a range that begins past the end, or is empty, is not satisfiable', () => {
  for (const header of ['bytes=10-', 'bytes=10-12', 'bytes=-0']) assert.equal(rangeOf(header, size), null, header)
  for (const header of ['bytes=0-', 'bytes=-1']) assert.equal(rangeOf(header, 0), null, header)
})

test('anything but a single range returns the whole file', () => {
  for (const header of ['', 'bytes=-', 'bytes=5-2', 'bytes=0-1,3-4', 'bytes=a-b', 'lines=1-2'])
    assert.equal(rangeOf(header, size), undefined, header)
})
