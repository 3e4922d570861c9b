import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@parley/client/store'
import { suggest } from './completion.ts'

const labels = (before: string) => suggest({} as Store, before)?.suggestions.map(({ label }) => label)

test('a slash at the start of a message offers the commands that begin like it', () => {
  assert.deepEqual(labels('/'), ['/poll', '/todo', '/me'])
  assert.deepEqual(labels('/po'), ['/poll'])
})

test('a slash elsewhere, or an unknown command, offers nothing', () => {
  assert.equal(labels('and /'), undefined)
  assert.equal(labels('/nothing'), undefined)
})
