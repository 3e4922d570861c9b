import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from './embedded.ts'
import {
  copyOf,
  isAlive,
  otherParley,
  postmasterPid,
  query,
  rootOnly,
  type Started,
  start,
  tempFolder,
} from './test-support.ts'

const file = { after }
const database = join(tempFolder(file), 'data')
const firstLines: string[] = []

/** For tests that only read: a second start of the same database. */
let running: Started

before(async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: database, log: (line) => firstLines.push(line) })
  await postgres.stop()
  running = await start(file, copyOf(database, file))
})

test('the first start logs that it creates the database, the second logs nothing', () => {
  assert.match(firstLines.join(), /Creating the database/)
  assert.deepEqual(running.lines, [])
})

test('commits are flushed, text is UTF-8 sorted by code point, time zone is UTC', async () => {
  const { url } = running
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'server_encoding', 'TimeZone']
  const rows = await query(url, `SELECT name, setting FROM pg_settings WHERE name IN ('${names.join("','")}')`)
  const [locale] = await query(
    url,
    'SELECT datlocprovider, datlocale FROM pg_database WHERE datname = current_database()',
  )

  assert.deepEqual(Object.fromEntries(rows.map((row) => [row.name, row.setting])), {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    server_encoding: 'UTF8',
    TimeZone: 'UTC',
  })
  assert.deepEqual(locale, { datlocprovider: 'b', datlocale: 'C.UTF-8' })
})

test('connections without the password are refused, and the password file is private', async () => {
  const { url, dataDir } = running

  await assert.rejects(query(url.replace(/:\w+@/, ':wrong@'), 'SELECT 1'), /password authentication failed/)
  assert.equal(statSync(join(dataDir, 'postgres.password')).mode & 0o777, 0o600)
  assert.deepEqual(await query(url, 'SHOW listen_addresses'), [{ listen_addresses: '' }])
})

test('a lost password file is replaced', async (t) => {
  rmSync(join(database, 'postgres.password'))

  const { url } = await start(t, database)

  assert.equal((await query(url, 'SELECT 1 AS one')).length, 1)
})

test('a DATA_DIR too long for a socket path works', async (t) => {
  const dataDir = join(tempFolder(t), 'long-'.repeat(30))

  const { url } = await start(t, dataDir)

  assert.equal((await query(url, 'SELECT 1 AS one')).length, 1)
})

test('stop() leaves no process and no lock', async (t) => {
  const dataDir = database
  const { stop } = await start(t, dataDir)
  const pid = postmasterPid(dataDir)

  await Promise.all([stop(), stop()])

  assert.equal(isAlive(pid), false)
  await start(t, dataDir)
})

test('stop() does not wait for clients', async (t) => {
  const { url, stop } = await start(t, database)
  const sleeping = query(url, 'SELECT pg_sleep(60)').catch(() => 'cut off')
  await sleep(100)

  const begin = Date.now()
  await stop()

  assert.ok(Date.now() - begin < 30_000)
  assert.equal(await sleeping, 'cut off')
})

test('a copy of DATA_DIR does not disturb the database it was copied from', async (t) => {
  const { url, lines } = await start(t, database)

  await start(t, copyOf(database, t))

  await query(url, 'SELECT 1')
  assert.deepEqual(lines, [])
})

test('a second Parley on the same DATA_DIR is refused, and the error names the first', async (t) => {
  const { url, dataDir } = running

  await assert.rejects(startEmbeddedPostgres({ dataDir, log() {} }), { name: 'StartupError' })
  const { said } = await otherParley(t, dataDir)

  assert.match(said, new RegExp(`^StartupError: Another Parley \\(process ${process.pid}\\) is using DATA_DIR`))
  await query(url, 'SELECT 1')
})

test('of three Parleys started at the same time, one wins', async (t) => {
  const dataDir = database

  const said = await Promise.all([1, 2, 3].map(async () => (await otherParley(t, dataDir)).said))

  assert.equal(said.filter((line) => line === 'started').length, 1)
  assert.equal(said.filter((line) => line.includes('Another Parley')).length, 2)
})

test('Ctrl-C does not reach PostgreSQL, which runs in its own session', () => {
  const pid = postmasterPid(running.dataDir)

  const session = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3]

  assert.equal(Number(session), pid)
})

test('PostgreSQL does not keep its parent process alive, and ends with it', async (t) => {
  const dataDir = database
  const { child } = await otherParley(t, dataDir, { afterwards: '' })
  if (child.exitCode === null) await once(child, 'exit')

  assert.equal(child.exitCode, 0)
  const { url } = await start(t, dataDir)
  await query(url, 'SELECT 1')
})

test('PostgreSQL never runs as root', { skip: rootOnly }, () => {
  assert.notEqual(statSync(`/proc/${postmasterPid(running.dataDir)}`).uid, 0)
})
