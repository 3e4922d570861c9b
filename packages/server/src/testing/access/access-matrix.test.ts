import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { operationList } from '@parley/api/operations'
import { type AccessWorld, newAccessWorld } from './callers.ts'
import { operationRows } from './operations.ts'
import { MatrixRun } from './row.ts'

let access: AccessWorld
let run: MatrixRun

before(async () => {
  access = await newAccessWorld()
  run = new MatrixRun(access)
})

test('every operation has a row', () => {
  const covered = new Set(operationRows.filter(({ outcomes }) => outcomes !== '').map(({ does }) => does))
  const missing = operationList.map(({ name }) => name).filter((name) => !covered.has(name))
  assert.deepEqual(missing, [], 'say in access/operations.ts who may call these')
})

test('every operation has a route', async () => {
  const { app, host } = access.main
  const missing: string[] = []
  for (const { name, method, path } of operationList) {
    const url = `/api/v1${path.replace(/\{\w+\}/g, '1')}`
    const { statusCode, body } = await app.inject({ method, url, headers: { host } })
    if (body.includes('This URL does not exist.') || statusCode === 405) missing.push(`${name} is not in http/app.ts`)
  }
  assert.deepEqual(missing, [], 'add their routes to the list of features')
})

for (const row of operationRows) test(`${row.does}: ${row.outcomes}`, () => run.verify(row))
