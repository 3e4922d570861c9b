import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyTable } from '../platform/keys.ts'
import { keySections } from './key-table.ts'

test('the table of keys shows every command once', () => {
  const shown = keySections.flatMap(([, labels]) => labels.map(([command]) => command))
  assert.deepEqual(shown.toSorted(), Object.keys(keyTable).toSorted())
})
