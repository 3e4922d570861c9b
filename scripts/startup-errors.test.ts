import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startupErrors } from './startup-errors.ts'

const docs = readFileSync(join(import.meta.dirname, '../docs/troubleshooting.md'), 'utf8')
const documented = Array.from(docs.matchAll(/^- `([^`]+)`/gm), ([, message]) => message!.replace(/\s+/g, ' '))

test('docs/troubleshooting.md has every message with which Parley does not start, and no other', () => {
  const messages = startupErrors()
  assert.ok(messages.size > 100)
  const missing = [...messages].filter(([message]) => !documented.includes(message))
  assert.deepEqual(missing, [], 'add them, with what to do')
  assert.deepEqual(
    documented.filter((message) => !messages.has(message)),
    [],
    'these no longer exist',
  )
})
