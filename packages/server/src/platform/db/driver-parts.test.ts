import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { requireDriverParts } from './driver-parts.ts'

test('a client without the private parts that we use is refused', () => {
  const client = new pg.Client()
  Object.assign(client, { connection: { stream: {} } })
  assert.throws(() => requireDriverParts(client), /This version of pg/)
})
