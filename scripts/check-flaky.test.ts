import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flakyProblems } from './check-flaky.ts'

const today = new Date('2026-03-20T12:00:00Z')
const rows = (count: number, date: string) =>
  `| date | test | what |\n| --- | --- | --- |\n${`| ${date} | a test | why |\n`.repeat(count)}`

test('the list of flaky tests may be empty and have five young rows', () => {
  assert.deepEqual(flakyProblems('# Flaky tests\n', today), [])
  assert.deepEqual(flakyProblems(rows(5, '2026-03-08'), today), [])
})

test('a sixth row is refused, and so is a row of more than 14 days', () => {
  assert.equal(flakyProblems(rows(6, '2026-03-19'), today).length, 1)
  assert.match(flakyProblems(rows(1, '2026-03-05'), today).join(), /"a test" is there since 2026-03-05/)
})
