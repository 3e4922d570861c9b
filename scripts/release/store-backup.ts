// Stores a backup that this version makes of its own data, so that every later version is tested with it. Part of making a
// release: scripts/node scripts/release/store-backup.ts
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { demoPassword } from '../../packages/server/src/demo/sample-content.ts'
import { allMessages, FormClient, type FoundMessage } from '../../packages/server/src/testing/upgrade/form-client.ts'
import { type Expected, storeBackup } from '../../packages/server/src/testing/upgrade/stored-backup.ts'

const repository = join(import.meta.dirname, '../..')
const cli = join(repository, 'packages/server/src/cli/main.ts')
const work = mkdtempSync(join(tmpdir(), 'parley-store-'))
const PORT = String(await freePort())
const settings = { PORT, DATA_DIR: join(work, 'data'), PROCESSES: '1', WEB_CLIENT: 'off', STOP_GRACE: '0' }
const env = { PATH: process.env.PATH, ...settings }
const url = `http://127.0.0.1:${PORT}`

try {
  const server = spawn(process.execPath, [cli, 'serve', '--demo'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const expected = await fill(server).finally(() => stop(server))
  const folder = join(work, 'backup')
  const { status } = spawnSync(process.execPath, [cli, 'backup', folder], { env, stdio: 'inherit' })
  if (status !== 0) throw new Error('parley backup failed.')
  const base = readdirSync(folder).find((name) => name.startsWith('base-'))!
  const path = await storeBackup(folder, join(folder, base), expected)
  console.log(`Stored ${path}: ${Math.round(statSync(path).size / 1000)} kB. Commit it.`)
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 })
}

/** More than the demo has, from each part of the program. */
async function fill(server: ChildProcess): Promise<Expected> {
  await untilReady(server)
  const person = { email: 'member@example.com', password: demoPassword }
  const [owner, member] = [new FormClient(url), new FormClient(url)]
  await owner.signIn('owner@example.com', demoPassword)
  const api_key = await member.signIn(person.email, person.password)
  const { user_id, full_name } = await member.get<{ user_id: number; full_name: string }>('/users/me')

  const file = {
    ...(await member.upload('notes.txt', 'an upload of an older version')),
    content: 'an upload of an older version',
  }
  const content = `**Kept** over upgrades: [notes](${file.url}) $$x^2$$ @_**${full_name}**`
  const { id } = await member.post<{ id: number }>('/messages', {
    type: 'channel',
    to: 'general',
    topic: 'upgrade',
    content,
  })
  await owner.post(`/messages/${id}/reactions`, { emoji_name: 'tada' })
  await owner.post('/messages', { type: 'direct', to: `[${user_id}]`, content: 'a direct message' })
  await owner.post('/user_groups/create', { name: 'sailors', description: 'kept', members: `[${user_id}]` })
  await owner.post('/realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' })
  await owner.post('/realm/profile_fields', { name: 'Boat', field_type: '1' })
  await member.post('/saved_snippets', { title: 'greeting', content: 'Ahoy' })
  const far = String(Date.UTC(2100, 0) / 1000) // never sent
  const scheduled = { type: 'channel', to: await channelId(member), topic: 'later', content: 'scheduled' }
  await member.post('/scheduled_messages', { ...scheduled, scheduled_delivery_timestamp: far })
  const draft = { type: 'private', to: [user_id], topic: '', content: 'a draft', timestamp: 1_790_000_000 }
  await member.post('/drafts', { drafts: JSON.stringify([draft]) })
  await member.post('/users/me/status', { status_text: 'at sea' })

  const { messages } = await member.get<{ messages: FoundMessage[] }>(allMessages)
  const { members } = await member.get<{ members: object[] }>('/users')
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  return {
    ...{ version, accounts: members.length, messages: messages.length, file },
    person: { ...person, full_name, api_key },
    message: { id, content, emoji_name: 'tada' },
  }
}

async function channelId(client: FormClient): Promise<string> {
  return String((await client.get<{ stream_id: number }>('/get_stream_id?stream=general')).stream_id)
}

async function untilReady(server: ChildProcess): Promise<void> {
  while (
    !(await fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (server.exitCode !== null) throw new Error('The server ended.')
    await sleep(100)
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  server.kill('SIGTERM')
  await once(server, 'exit')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
