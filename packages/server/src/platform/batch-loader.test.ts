import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batched } from './batch-loader.ts'

test('keys requested in the same tick are loaded together, and each caller gets its own value', async () => {
  const lookUps: number[][] = []
  const double = batched(async (keys: number[]) => {
    lookUps.push(keys)
    return keys.map((key) => 2 * key)
  })
  assert.deepEqual(await Promise.all([double(1), double(2), double(1)]), [2, 4, 2])
  assert.equal(await double(3), 6)
  assert.deepEqual(lookUps, [[1, 2, 1], [3]])
})

test('a failure reaches every waiting caller and is not cached', async () => {
  let fails = true
  const same = batched(async (keys: number[]) => {
    if (fails) throw new Error('away')
    return keys
  })
  const results = await Promise.allSettled([same(1), same(2)])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  fails = false
  assert.equal(await same(1), 1)
})
