import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from './operations.ts'

test('every operation has the name under which it is exported', () => {
  for (const [name, operation] of Object.entries(operations)) assert.equal(operation.name, name)
})
