import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableOf } from './print-table.ts'
import { progressLine } from './progress.ts'

test('a table has a line of names, aligned columns, and nothing that controls the terminal', () => {
  const rows = [
    { id: 1, full_name: 'Ann', active: true, used: new Date('2026-01-02T03:04:05Z') },
    { id: 22, full_name: 'B\u001b[2Jen', active: false, used: null },
  ]
  const expected = [
    'ID  FULL NAME  ACTIVE  USED',
    '1   Ann        yes     2026-01-02 03:04',
    '22  B?[2Jen    no      -',
  ]
  assert.deepEqual(tableOf(rows).split('\n'), expected)
})

test('progress has a bar, a rate and the time left', () => {
  const line = progressLine({ what: 'rows', done: 300, total: 1200, seconds: 2 })
  assert.equal(line, '[######..................] 300 of 1200 rows, 150/s, 6 s left')
  assert.match(
    progressLine({ what: 'rows', done: 1, total: 5000, seconds: 1 }),
    /1 of 5000 rows, 1\.0\/s, 1 h 24 min left$/,
  )
  assert.equal(progressLine({ what: 'files', done: 5, total: 0, seconds: 1 }), '5 files, 5.0/s')
})
