import assert from 'node:assert/strict'
import { chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbeddedPostgres } from './embedded.ts'
import { cleanUp, isRoot, query, type Scope, tempFolder } from './test-support.ts'

const debian = '/usr/lib/postgresql'
const skip = existsSync(`${debian}/15/bin/postgres`) ? false : 'needs Debian’s postgresql-15'

async function startWith(t: Scope, dataDir: string, systemFolder: string | undefined): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir, systemFolder, log() {} })
  cleanUp(t, postgres.stop)
  const [row] = await query(postgres.url, 'show server_version')
  await postgres.stop()
  return String(row!.server_version)
}

/** That of a service: it belongs to the user who runs the database. */
function newDataDir(t: Scope): string {
  const dataDir = join(tempFolder(t), 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  if (isRoot) chownSync(dataDir, 1, 1) // daemon, an account every Linux has
  return dataDir
}

const majorOf = (dataDir: string) => readFileSync(join(dataDir, 'postgres/PG_VERSION'), 'utf8').trim()

/** Only version 15, whatever else is installed. */
function only15(t: Scope): string {
  const folder = tempFolder(t)
  symlinkSync(`${debian}/15`, join(folder, '15'))
  return folder
}

test('a new database takes the programs of the system, and no others afterwards', { skip }, async (t) => {
  const dataDir = newDataDir(t)
  const systemFolder = only15(t)

  assert.match(await startWith(t, dataDir, systemFolder), /^15\./)
  assert.equal(majorOf(dataDir), '15')
  assert.match(await startWith(t, dataDir, systemFolder), /^15\./)

  const reason =
    /created by PostgreSQL 15, whose programs are missing .*: install them \(on Debian, apt install postgresql-15\)/
  await assert.rejects(startWith(t, dataDir, tempFolder(t)), reason)
  assert.equal(majorOf(dataDir), '15')
})

test('an existing database keeps its major version although the system has another', { skip }, async (t) => {
  const dataDir = newDataDir(t)
  assert.match(await startWith(t, dataDir, undefined), /^18\./)

  assert.match(await startWith(t, dataDir, only15(t)), /^18\./)
})

test('without programs of the system, or with some that do not run, a new database takes ours', async (t) => {
  const systemFolder = tempFolder(t)
  mkdirSync(join(systemFolder, '17/bin'), { recursive: true })
  for (const name of ['initdb', 'postgres'])
    writeFileSync(join(systemFolder, '17/bin', name), 'broken', { mode: 0o755 })

  assert.match(await startWith(t, join(tempFolder(t), 'data'), systemFolder), /^18\./)
})
