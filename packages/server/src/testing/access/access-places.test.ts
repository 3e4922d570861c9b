import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { newAccessWorld } from './callers.ts'
import { channelRows } from './channel-rows.ts'
import { messageRows } from './message-rows.ts'
import { MatrixRun } from './row.ts'
import { peopleRows } from './user-rows.ts'

let run: MatrixRun

before(async () => {
  run = new MatrixRun(await newAccessWorld())
})

for (const row of [...messageRows, ...channelRows, ...peopleRows])
  test(`${row.does}: ${row.outcomes}`, () => run.verify(row))

test('at least 3,900 responses were compared', () => {
  assert.ok(run.assertions >= 3900, `only ${run.assertions}`)
})
