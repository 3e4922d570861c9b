import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ApiError } from './api-error.ts'
import { RateLimit } from './rate-limit.ts'

/** A limit of six requests a minute, and a clock that the test controls. */
function limited(t: TestContext) {
  let now = 1000
  t.mock.method(performance, 'now', () => now)
  const limit = new RateLimit(6)
  t.after(() => limit.close())
  return { limit, wait: (seconds: number) => (now += seconds * 1000) }
}

function refusal(limit: RateLimit, key: string): ApiError {
  try {
    limit.take(key)
  } catch (error) {
    return error as ApiError
  }
  return assert.fail('it was allowed')
}

test('each key has its own allowance', (t) => {
  const { limit } = limited(t)
  const remaining = Array.from({ length: 6 }, () => limit.take('ann').remaining)
  assert.deepEqual(remaining, [5, 4, 3, 2, 1, 0])
  assert.equal(refusal(limit, 'ann').status, 429)
  assert.equal(limit.take('ben').remaining, 5)
})

test('the allowance refills gradually and never exceeds the limit', (t) => {
  const { limit, wait } = limited(t)
  for (let n = 0; n < 6; n++) limit.take('ann')
  wait(10)
  assert.equal(limit.take('ann').remaining, 0)
  wait(3600)
  assert.equal(limit.take('ann').remaining, 5)
})

test('a refusal says how long to wait, and waiting that long is enough', (t) => {
  const { limit, wait } = limited(t)
  for (let n = 0; n < 6; n++) limit.take('ann')
  wait(4)
  const { fields, headers } = refusal(limit, 'ann')
  assert.ok(Math.abs((fields['retry-after'] as number) - 6) < 0.001)
  assert.equal(headers['Retry-After'], '6')
  wait(6.001)
  limit.take('ann')
})

test('a refused request costs nothing', (t) => {
  const { limit, wait } = limited(t)
  for (let n = 0; n < 6; n++) limit.take('ann')
  for (let n = 0; n < 50; n++) refusal(limit, 'ann')
  wait(10.001)
  limit.take('ann')
})
