import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { operationList } from '@parley/api/operations'
import * as users from '@parley/api/people/users'
import fc from 'fast-check'
import { fingerprint } from '../fingerprint.ts'
import { populate } from '../samples.ts'
import { newWorld, type World } from '../world.ts'
import { type HostileValue, hostileValues, hostileValuesFor } from './malformed-values.ts'

let world: World

before(async () => {
  world = await newWorld()
  await populate(world)
})

async function isAnsweredWell({ method, url, headers, payload }: HostileValue): Promise<void> {
  const earlier = await fingerprint(world)
  const response = await world.app.inject({
    method,
    url,
    headers: { ...world.adam.headers, ...headers },
    ...(payload !== undefined && { payload }),
  })
  const { statusCode: status } = response
  assert.ok(status < 500, `${status}: ${response.body}`)
  const body = response.json()
  assert.equal(body.result, status === 200 ? 'success' : 'error')
  assert.equal(typeof body.msg, 'string')
  if (status === 200) return
  assert.equal(typeof body.code, 'string')
  assert.deepEqual(await fingerprint(world), earlier, 'a refused request changed something')
}

/** A failure prints the seed and the smallest failing request. */
const settings = { numRuns: 400, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: false }

test('every malformed request gets a JSON response, and refused requests change nothing', async () => {
  await fc.assert(fc.asyncProperty(hostileValues, isAnsweredWell), settings)
})

test('every operation is covered', async () => {
  for (const operation of operationList)
    await fc.assert(fc.asyncProperty(hostileValuesFor(operation), isAnsweredWell), { numRuns: 4 })
})

test('the server still works afterwards', async () => {
  const answer = await world.ann.does(users.getOwnUser)
  assert.equal(answer.user_id, world.ann.id)
})
