import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getUsers } from '@parley/api/people/users'
import { newWorld } from '../../testing/world.ts'

const codes = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'ENOTFOUND']

test('a request that cannot reach the database gets 503 and may be repeated, and the next one works', async (t) => {
  const { ann, app, ctx } = await newWorld()
  const url = `/api/v1${getUsers.path}`
  for (const code of codes) {
    const error = Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' })
    const connect = t.mock.method(ctx.pool, 'connect', (answer?: (error: Error) => void) =>
      answer ? answer(error) : Promise.reject(error),
    )
    const response = await app.inject({ url, headers: ann.headers })
    connect.mock.restore()
    assert.deepEqual(
      [response.statusCode, response.json().code, response.headers['retry-after']],
      [503, 'SERVICE_UNAVAILABLE', '2'],
      code,
    )
  }
  await ann.does(getUsers)
})
