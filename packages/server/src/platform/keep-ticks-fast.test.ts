import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepTicksFast } from './keep-ticks-fast.ts'

test('one object of the kind that process.nextTick creates is kept', () => {
  const [tick, ...others] = keepTicksFast()
  assert.deepEqual(others, [])
  assert.deepEqual(Object.keys(tick!).sort(), ['args', 'callback'])
})
