import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LocalFiles } from '../../platform/files/local.ts'
import { parseFilesUrl } from '../../platform/files/s3/location.ts'
import { S3Files } from '../../platform/files/s3/s3-files.ts'
import { query, type Scope, start, tempFolder } from '../../platform/postgres/test-support.ts'
import { s3Credentials, startS3Server } from '../../testing/peers/s3-server.ts'
import { runParley, startFollowing } from '../../testing/program.ts'
import { until } from '../../testing/until.ts'

/** A database with a table, a file and a bucket for backups. */
async function newServer(t: Scope) {
  const s3 = await startS3Server()
  t.after(() => s3.stop())
  const [folder, dataDir] = [tempFolder(t), join(tempFolder(t), 'data')]
  const { url } = await start(t, dataDir)
  await query(url, 'create table queues (id int)')
  writeFileSync(join(dataDir, 'secret.key'), 'a'.repeat(64))
  await new LocalFiles(join(dataDir, 'files')).put('uploads/1/ab/key', Buffer.from('a file'))
  const env = { DATA_DIR: dataDir, BACKUP_BUCKET: s3.filesUrl, ...s3Credentials }
  const store = new S3Files(parseFilesUrl(s3.filesUrl, s3Credentials), () => {})
  const paths = async () => (await Array.fromAsync(store.list())).map(({ path }) => path).sort()
  const backUp = async (...args: string[]) => {
    const { code, output } = await runParley(t, ['backup', folder, ...args], { env })
    assert.equal(code, 0, output)
  }
  /** Restores from the bucket, and returns where. */
  const restore = async () => {
    const TMPDIR = tempFolder(t)
    const restored = { DATA_DIR: join(tempFolder(t), 'data'), TMPDIR, ...s3Credentials }
    const { code, output } = await runParley(t, ['restore', s3.filesUrl], { env: restored })
    assert.equal(code, 0, output)
    assert.deepEqual(readdirSync(TMPDIR), [])
    return restored.DATA_DIR
  }
  return { folder, url, env, paths, backUp, restore }
}

test('a backup is copied to a bucket, and a lost machine is restored from there', async (t) => {
  const { folder, url, backUp, restore } = await newServer(t)
  await query(url, 'create table kept as select 42 as answer')
  await backUp()
  rmSync(folder, { recursive: true })

  const dataDir = await restore()

  const file = await new LocalFiles(join(dataDir, 'files')).open('uploads/1/ab/key')
  assert.equal(file?.size, 6)
  await file.close()
  const restored = await start(t, dataDir)
  assert.deepEqual(await query(restored.url, 'select answer from kept'), [{ answer: 42 }])
})

test('old copies are deleted in the bucket too', async (t) => {
  const { paths, backUp, restore } = await newServer(t)
  await backUp()
  const [first] = await paths()
  await backUp('--keep', '1')

  const left = await paths()
  assert.ok(!left.includes(first!))
  assert.equal(left.filter((path) => path.endsWith('backup.json')).length, 1)
  await restore()
})

test('what changes while the backup follows is in the bucket, too', async (t) => {
  const { folder, env, paths, restore } = await newServer(t)
  const following = await startFollowing(t, folder, { env })
  // A change that misses one copy to the bucket is in the next, a minute later.
  await until(async () => (await paths()).some((path) => path.startsWith('wal/')), 100)
  following.signal('SIGTERM')
  assert.equal((await following.ended()).code, 0)

  await restore()
})

test('a bucket that cannot be used is refused before anything is copied', async (t) => {
  const { folder, env } = await newServer(t)
  const { code, output } = await runParley(t, ['backup', folder], {
    env: { ...env, BACKUP_ACCESS_KEY_ID: 'other', BACKUP_SECRET_ACCESS_KEY: 'wrong' },
  })
  assert.equal(code, 1)
  assert.match(output, /BACKUP_BUCKET: the bucket .* cannot be used/)
  assert.deepEqual(readdirSync(folder), [])
})
