import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Changes } from './changes.ts'

test('changes of one turn are announced together, and not to listeners who left', async () => {
  const changes = new Changes()
  let calls = 0
  const leave = changes.subscribe(() => calls++)
  changes.changed()
  changes.changed()
  assert.equal(changes.version, 2)
  await Promise.resolve()
  assert.equal(calls, 1)
  leave()
  changes.changed()
  await Promise.resolve()
  assert.equal(calls, 1)
})
