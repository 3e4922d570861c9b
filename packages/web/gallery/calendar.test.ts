import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frozen, frozenTimes } from './calendar.ts'

const start = 1_795_000_000
const seen = (json: string) => frozenTimes(json, start)

test('what happens while the gallery runs happens at the frozen moment', () => {
  assert.equal(seen(`{"timestamp":${start + 70}}`), `{"timestamp":${frozen}}`)
})

test('earlier and later times keep their distance', () => {
  assert.equal(seen(`[${start - 3600}]`), `[${frozen - 3600}]`)
  assert.equal(seen(`[${start + 86_400}]`), `[${frozen + 86_400}]`)
})

test('fractions of seconds are kept', () => {
  assert.equal(seen(`[${start - 60}.25]`), `[${frozen - 60}.25]`)
})

test('other numbers and texts stay as they are', () => {
  for (const json of ['{"id":42}', `"${start}"`, '[1234567890]', `{"ms":${start}000}`]) assert.equal(seen(json), json)
})
