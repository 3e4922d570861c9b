import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openDataDir } from './data-dir.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { chooseAccount } from './os-account.ts'
import { cleanUp, copyOf, isRoot, otherParley, query, start, tempFolder } from './test-support.ts'

const database = join(tempFolder({ after }), 'data')

before(async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: database, log() {} })
  await postgres.stop()
})

/** The error is one sentence that names the folder and what to change. */
async function assertRefused(dataDir: string, message: RegExp): Promise<void> {
  await assert.rejects(startEmbeddedPostgres({ dataDir, log() {} }), (error: Error) => {
    assert.equal(error.name, 'StartupError')
    assert.match(error.message, message)
    assert.match(error.message, /^[^\n]*DATA_DIR[^\n]*\.$/)
    return true
  })
}

test('a DATA_DIR that is a file, or is below one, is refused', async (t) => {
  const file = join(tempFolder(t), 'file')
  writeFileSync(file, '')

  await assertRefused(file, /is a file/)
  await assertRefused(join(file, 'below'), /is a file/)
})

test('a DATA_DIR that cannot be created or written is refused', {
  skip: isRoot && 'root may write anywhere',
}, async (t) => {
  const folder = tempFolder(t)
  chmodSync(folder, 0o500)

  await assertRefused(join(folder, 'data'), /cannot be created \(permission denied\)/)
  await assertRefused(folder, /cannot be written \(permission denied\)/)
})

test('a database of another PostgreSQL version is refused', async (t) => {
  const dataDir = copyOf(database, t)

  writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '19\n')
  await assertRefused(dataDir, /created by PostgreSQL 19 and this Parley includes 18: use a newer Parley/)
  writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '17\n')
  await assertRefused(
    dataDir,
    /created by PostgreSQL 17 and this Parley includes 18: install PostgreSQL 17 and set POSTGRES_PROGRAMS/,
  )
})

test('a database folder without PG_VERSION is not modified', async (t) => {
  const dataDir = copyOf(database, t)
  rmSync(join(dataDir, 'postgres/PG_VERSION'))

  await assertRefused(dataDir, /contains no complete database/)

  assert.ok(existsSync(join(dataDir, 'postgres/base')))
})

test('a damaged database is refused with PostgreSQL’s own reason', async (t) => {
  const dataDir = copyOf(database, t)
  rmSync(join(dataDir, 'postgres/global/pg_control'))

  await assertRefused(dataDir, /did not start.*could not open file .*pg_control/)
})

test('an interrupted first start is repeated from scratch', async (t) => {
  const dataDir = tempFolder(t)
  mkdirSync(join(dataDir, 'postgres.unfinished/base'), { recursive: true })
  writeFileSync(join(dataDir, 'postgres.unfinished/PG_VERSION'), '18\n')

  const { url } = await start(t, dataDir)

  assert.equal((await query(url, 'SELECT 1')).length, 1)
  assert.equal(existsSync(join(dataDir, 'postgres.unfinished')), false)
})

test('without a platform package, the error says to set DATABASE_URL', async (t) => {
  const dataDir = join(tempFolder(t), 'data')
  const { said } = await otherParley(t, dataDir, {
    before: `Object.defineProperty(process, 'arch', { value: 'mips' })`,
  })

  assert.match(said, /^StartupError: Parley includes no PostgreSQL for this machine \(linux-mips.*set DATABASE_URL/)
})

test('lock files that name an unrelated process do not block the start', async (t) => {
  const dataDir = database
  const account = await chooseAccount(await openDataDir(dataDir))
  const stranger = spawn('sleep', ['60'], account.stepDown ? { uid: account.uid, gid: account.gid } : {})
  cleanUp(t, () => void stranger.kill())
  const lock = `${stranger.pid}\n/proc/self/cwd\n1700000000\n5432\n.\n\n`
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    writeFileSync(join(dataDir, 'postgres', name), lock, { mode: 0o600 })
    if (account.stepDown) execFileSync('chown', [String(account.uid), join(dataDir, 'postgres', name)])
  }

  const { url } = await start(t, dataDir)

  await query(url, 'SELECT 1')
  assert.equal(stranger.exitCode ?? stranger.signalCode, null)
})

test('the log of PostgreSQL is in DATA_DIR and limited in size', async (t) => {
  const dataDir = database
  writeFileSync(join(dataDir, 'postgres.log'), 'x'.repeat(9 * 1024 * 1024))

  await start(t, dataDir)

  assert.match(readFileSync(join(dataDir, 'postgres.log'), 'utf8'), /^\d{4}-.* ready to accept connections/s)
  assert.match(readFileSync(join(dataDir, 'postgres.log.1'), 'utf8'), /^x+/)
})
