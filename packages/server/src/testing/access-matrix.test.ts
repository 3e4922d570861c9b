import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { operationList } from '@parley/api/operations'
import { newAccessWorld } from './access/callers.ts'
import { operationRows } from './access/operations.ts'
import { MatrixRun } from './access/row.ts'

let run: MatrixRun

before(async () => {
  run = new MatrixRun(await newAccessWorld())
})

test('every operation has a row', () => {
  const covered = new Set(operationRows.filter(({ outcomes }) => outcomes !== '').map(({ does }) => does))
  const missing = operationList.map(({ name }) => name).filter((name) => !covered.has(name))
  assert.deepEqual(missing, [], 'say in access/operations.ts who may call these')
})

for (const row of operationRows) test(`${row.does}: ${row.outcomes}`, () => run.verify(row))
