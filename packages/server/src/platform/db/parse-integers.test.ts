import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIntegers } from './parse-integers.ts'

test('arrays of integers are parsed as PostgreSQL writes them', () => {
  assert.deepEqual(parseIntegers('{}'), [])
  assert.deepEqual(parseIntegers('{0}'), [0])
  assert.deepEqual(parseIntegers('{7,-12,9007199254740991}'), [7, -12, 9_007_199_254_740_991])
})

test('a null in an array of integers is not a number', () => {
  assert.deepEqual(parseIntegers('{1,NULL}'), [1, Number.NaN])
})
