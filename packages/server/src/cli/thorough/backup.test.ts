import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalFiles } from '../../platform/files/local.ts'
import { findRunningPostgres } from '../../platform/postgres/find-running.ts'
import { query, start, tempFolder } from '../../platform/postgres/test-support.ts'
import { type Program, runParley, startFollowing, startParley } from '../../testing/program.ts'
import { until } from '../../testing/until.ts'

const email = 'member@example.com'

/** A client of the demo server. */
async function clientOf({ url }: Program) {
  const post = async (path: string, params: Record<string, string>, headers: Record<string, string> = {}) =>
    (await fetch(`${url}/api/v1${path}`, { method: 'POST', body: new URLSearchParams(params), headers })).json()
  const { api_key } = (await post('/dev_fetch_api_key', { username: email })) as { api_key: string }
  const headers = { authorization: `Basic ${btoa(`${email}:${api_key}`)}` }
  const get = async (path: string) => (await fetch(`${url}${path}`, { headers })).text()
  return {
    get,
    api_key,
    send: async (content: string) => {
      const params = { type: 'channel', to: 'general', topic: 'backup', content }
      return ((await post('/messages', params, headers)) as { id: number }).id
    },
    contents: async () => {
      const text = await get('/api/v1/messages?anchor=newest&num_before=5000&num_after=0&apply_markdown=false')
      return (JSON.parse(text) as { messages: { content: string }[] }).messages.map(({ content }) => content)
    },
    register: async () =>
      ((await post('/register', { event_types: '["message"]' }, headers)) as { queue_id: string }).queue_id,
    poll: async (queueId: string, lastEventId = -1) => {
      const text = await get(`/api/v1/events?queue_id=${queueId}&last_event_id=${lastEventId}&dont_block=true`)
      return JSON.parse(text) as { code?: string; events?: { id: number; message: { id: number } }[] }
    },
    upload: async (content: string) => {
      const form = new FormData()
      form.append('file', new Blob([content]), 'notes.txt')
      const answer = await fetch(`${url}/api/v1/user_uploads`, { method: 'POST', headers, body: form })
      return ((await answer.json()) as { url: string }).url
    },
  }
}

interface Sent {
  content: string
  begun: number
  acknowledged: number
}

/** Sends until `isEnough`, from several connections at once. */
async function sendUntil(send: (content: string) => Promise<number>, isEnough: () => boolean): Promise<Sent[]> {
  const sent: Sent[] = []
  const loops = Array.from({ length: 4 }, async (_, loop) => {
    for (let n = 0; !isEnough(); n++) {
      const [content, begun] = [`${loop} ${n}`, Date.now()]
      await send(content)
      sent.push({ content, begun, acknowledged: Date.now() })
    }
  })
  await Promise.all(loops)
  return sent
}

async function isReceived(dataDir: string): Promise<boolean> {
  const postgres = (await findRunningPostgres(dataDir))!
  const rows = await query(
    postgres.url,
    'select 1 from pg_stat_replication where flush_lsn >= pg_current_wal_flush_lsn()',
  )
  await postgres.close()
  return rows.length > 0
}

test('a chosen moment is restored under load: everything acknowledged before it, nothing sent after it', async (t) => {
  const [folder, dataDir] = [tempFolder(t), join(tempFolder(t), 'data')]
  const env = { DATA_DIR: dataDir, RATE_LIMIT: '0' }
  const server = await startParley(t, ['--demo'], { env })
  const client = await clientOf(server)
  const fileUrl = await client.upload('a file in the backup')
  const queueId = await client.register()
  const following = await startFollowing(t, folder, { env })

  let isEnough = false
  const load = sendUntil(client.send, () => isEnough)
  await sleep(1500)
  const moment = Date.now()
  await sleep(1000)
  isEnough = true
  const sent = await load
  const lastId = Math.max(...(await client.poll(queueId)).events!.map(({ message }) => message.id))
  await until(() => isReceived(dataDir))
  following.signal('SIGTERM')
  assert.equal((await following.ended()).code, 0)
  server.signal('SIGTERM')
  await server.ended()

  const restored = { DATA_DIR: join(tempFolder(t), 'data'), RATE_LIMIT: '0' }
  const args = ['restore', folder, '--to', new Date(moment).toISOString()]
  const { code, output } = await runParley(t, args, { env: restored })
  assert.equal(code, 0, output)
  const again = await clientOf(await startParley(t, ['--demo'], { env: restored }))
  const contents = new Set(await again.contents())

  const before = sent.filter(({ acknowledged }) => acknowledged < moment)
  const after = sent.filter(({ begun }) => begun > moment)
  assert.ok(before.length > 10 && after.length > 10, `${before.length} before, ${after.length} after`)
  assert.deepEqual(
    before.filter(({ content }) => !contents.has(content)),
    [],
  )
  assert.deepEqual(
    after.filter(({ content }) => contents.has(content)),
    [],
  )
  assert.equal(again.api_key, client.api_key, 'the secret is restored')
  assert.equal(await again.get(fileUrl), 'a file in the backup')
  assert.equal((await again.poll(queueId)).code, 'BAD_EVENT_QUEUE_ID')
  assert.ok((await again.send('after the restore')) > lastId, 'no message id is used a second time')
})

test('if the database no longer has the changes since a backup, following says to use a new folder, which works', async (t) => {
  const [folder, dataDir] = [tempFolder(t), join(tempFolder(t), 'data')]
  const { url } = await start(t, dataDir)
  writeFileSync(join(dataDir, 'secret.key'), 'a'.repeat(64))
  const running = { env: { DATA_DIR: dataDir } }
  for (const setting of ["max_slot_wal_keep_size = '16MB'", "min_wal_size = '32MB'"])
    await query(url, `alter system set ${setting}`)
  await query(url, 'select pg_reload_conf(); create table notes (id int)')
  const following = await startFollowing(t, folder, running)
  following.signal('SIGTERM')
  await following.ended()
  for (let n = 0; n < 8; n++) await query(url, `insert into notes values (${n}); select pg_switch_wal(); checkpoint`)
  assert.equal((await query(url, 'select wal_status from pg_replication_slots'))[0]!.wal_status, 'lost')

  const { code, output } = await runParley(t, ['backup', folder, '--follow'], running)
  assert.equal(code, 1)
  assert.match(output, /no longer has what changed since the last backup in .*: use a new folder/)
  await startFollowing(t, tempFolder(t), running)
  await until(() => isReceived(dataDir))
})

test('a restore that could not store the files can be repeated', async (t) => {
  const [folder, dataDir, restored] = [tempFolder(t), join(tempFolder(t), 'data'), join(tempFolder(t), 'data')]
  const { url } = await start(t, dataDir)
  await query(url, 'create table queues (id int)')
  writeFileSync(join(dataDir, 'secret.key'), 'a'.repeat(64))
  await new LocalFiles(join(dataDir, 'files')).put('uploads/1/ab/key', Buffer.from('a file'))
  assert.equal((await runParley(t, ['backup', folder], { env: { DATA_DIR: dataDir } })).code, 0)
  const restore = () => runParley(t, ['restore', folder], { env: { DATA_DIR: restored } })
  mkdirSync(restored)
  writeFileSync(join(restored, 'files'), 'not a folder')
  assert.equal((await restore()).code, 1)
  rmSync(join(restored, 'files'))
  const { code, output } = await restore()
  assert.equal(code, 0, output)
  assert.match(output, /Restored 1 files/)
})

test('a PostgreSQL of your own is not copied', async (t) => {
  const folder = tempFolder(t)
  const { code, output } = await runParley(t, ['backup', folder], {
    env: { DATABASE_URL: 'postgres://127.0.0.1:1/parley' },
  })
  assert.equal(code, 1)
  assert.match(output, /pgBackRest or WAL-G/)
})
