import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRepeatedNames } from './check-file-names.ts'

test('two files with the same name are reported', () => {
  const twice = ['src/channels/audience.ts', 'src/messages/audience.ts']
  assert.deepEqual(findRepeatedNames([...twice, 'src/topics/names.ts']), [twice])
})

test('files that every feature has, commands and tests may share a name', () => {
  const paths = ['src/topics/routes.ts', 'src/users/routes.ts', 'src/cli/serve.ts', 'src/http/serve.ts']
  assert.deepEqual(findRepeatedNames([...paths, 'src/topics/update.test.ts', 'src/users/update.test.ts']), [])
})
