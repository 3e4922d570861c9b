import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { createPool } from '../../packages/server/src/platform/db/pool.ts'
import { createDatabase } from '../../packages/server/src/testing/world.ts'
import { describeIcons } from './describe-icons.ts'
import { describeSchema } from './describe-schema.ts'
import { describeTexts, readTexts } from './describe-texts.ts'
import { describeWire } from './describe-wire.ts'

const root = join(import.meta.dirname, '../..')
const hint = 'run npm run tables and commit the result'
let url: string
before(async () => {
  url = await createDatabase()
})

test('the operations of the client are those of the contract', async () => {
  const written = await readFile(join(root, 'packages/client/src/wire/wire.generated.ts'), 'utf8')
  assert.equal(written, describeWire(), 'run npm run wire and commit the result')
})

test('the types of the texts are those of en.json', async () => {
  const written = await readFile(join(root, 'packages/web/src/texts/texts.generated.ts'), 'utf8')
  assert.equal(written, describeTexts(readTexts().get('en')!), 'run npm run texts and commit the result')
})

test('the icons are those of lucide-static', async () => {
  const written = await readFile(join(root, 'packages/web/src/ui/icons.generated.ts'), 'utf8')
  assert.equal(written, describeIcons(), 'run npm run icons and commit the result')
})

test('docs/schema.sql shows the schema that the migrations create', async (t) => {
  const pool = createPool({ url, log: () => {} })
  t.after(() => pool.end())
  assert.equal(await readFile(join(root, 'docs/schema.sql'), 'utf8'), await describeSchema(pool), hint)
})

test('the types of the tables are those that the migrations create', async () => {
  const codegen = join(root, 'node_modules/.bin/kysely-codegen')
  const args = [codegen, '--url', url, '--config-file', '.kysely-codegenrc.json', '--verify']
  await assert.doesNotReject(promisify(execFile)(process.execPath, args, { cwd: root }), hint)
})
