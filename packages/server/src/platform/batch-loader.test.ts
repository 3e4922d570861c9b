import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../testing/until.ts'
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

test('if lookups are sequential, keys requested during one are loaded together by the next', async () => {
  const lookUps: number[][] = []
  const running = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const same = batched(
    async (keys: number[]) => {
      await running[lookUps.push(keys) - 1]!.promise
      return keys
    },
    { isSequential: true },
  )
  const first = same(1)
  await until(() => lookUps.length === 1)
  const others = [same(2), same(3)]
  await new Promise(setImmediate)
  assert.deepEqual(lookUps, [[1]])

  for (const { resolve } of running) resolve()
  assert.deepEqual(await Promise.all([first, ...others]), [1, 2, 3])
  assert.deepEqual(lookUps, [[1], [2, 3]])
})
