import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Scope, tempFolder } from '../../platform/postgres/test-support.ts'
import { runParley, startParley } from '../../testing/program.ts'

/** A backup of the demo, which has an upload, and where drills may write. */
async function newBackup(t: Scope) {
  const [folder, TMPDIR] = [tempFolder(t), join(tempFolder(t), 'drills')]
  mkdirSync(TMPDIR, { mode: 0o755 })
  const env = { DATA_DIR: join(tempFolder(t), 'data'), TMPDIR }
  const { url } = await startParley(t, ['--demo'], { env })
  const username = 'member@example.com'
  const signIn = { method: 'POST', body: new URLSearchParams({ username }) }
  const { api_key } = (await (await fetch(`${url}/api/v1/dev_fetch_api_key`, signIn)).json()) as { api_key: string }
  const form = new FormData()
  form.append('file', new Blob(['notes']), 'notes.txt')
  const headers = { authorization: `Basic ${btoa(`${username}:${api_key}`)}` }
  assert.equal((await fetch(`${url}/api/v1/user_uploads`, { method: 'POST', headers, body: form })).status, 200)
  const { code, output } = await runParley(t, ['backup', folder], { env })
  assert.equal(code, 0, output)
  return { folder, TMPDIR, drill: () => runParley(t, ['restore', folder, '--drill'], { env }) }
}

test('a drill reports what it has verified, beside a running server, and leaves nothing behind', async (t) => {
  const { drill, TMPDIR } = await newBackup(t)
  const { code, output } = await drill()

  assert.equal(code, 0, output)
  for (const line of [
    /^copy +ok +all of the copy of \d{4}-/m,
    /^restore +ok /m,
    /^tables +ok +\d+ rows of \d+ tables were read$/m,
    /^messages +ok +1 organizations, \d+ accounts, \d+ messages, the newest of \d{4}-/m,
    /^secrets +ok +\d+ API keys were opened/m,
    /^audit log +ok +\d+ rows, and no chain is broken$/m,
    /^files +ok +[1-9]\d* uploads are there with their sizes$/m,
  ])
    assert.match(output, line)
  assert.deepEqual(readdirSync(TMPDIR), [])
})

test('a drill finds a missing upload and another secret, and its exit code is 1', async (t) => {
  const { folder, drill } = await newBackup(t)
  rmSync(join(folder, 'files/stored/uploads'), { recursive: true })
  const [base] = readdirSync(folder).filter((name) => name.startsWith('base-'))
  const path = join(folder, base!, 'backup.json')
  const about = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...about, secrets: { ...about.secrets, secret_key: '0'.repeat(64) } }))

  const { code, output } = await drill()
  assert.equal(code, 1)
  assert.match(output, /^files +problem +(\d+) of \1 uploads are missing/m)
  assert.match(output, /^secrets +problem +(\d+) of \1 API keys cannot be opened/m)
  assert.match(output, /^tables +ok /m)
})
