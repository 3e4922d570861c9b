import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCommand } from '../../../testing/command.ts'
import { until } from '../../../testing/until.ts'
import { isRoot, query, start, tempFolder } from '../../postgres/test-support.ts'
import { BackupFolder } from '../backup-folder.ts'
import { readManifest, takeBaseBackup } from '../base-backup.ts'
import { Replication } from '../replication.ts'
import { prepareCluster } from '../restore-cluster.ts'
import { receiveWal, slotName } from '../wal-receiver.ts'
import { lsnOf, lsnText, segmentEnd, segmentName, segmentSize } from '../wal-segments.ts'

async function newDatabase(t: TestContext) {
  const dataDir = join(tempFolder(t), 'data')
  const { url } = await start(t, dataDir)
  await query(url, 'create table notes (id int primary key)')
  const folder = new BackupFolder(join(tempFolder(t), 'backup'))
  await folder.create()
  const replication = await Replication.connect(url)
  t.after(() => replication.close())
  const clock = async () => (await query(url, 'select clock_timestamp() as now'))[0]!.now as Date
  const addBase = () => folder.addBase(replication, { secret_key: 'a' }, clock)
  return { dataDir, url, folder, replication, clock, addBase }
}

test('a damaged copy and a gap in the WAL are found', async (t) => {
  const { url, folder, replication, addBase } = await newDatabase(t)
  await replication.query(`CREATE_REPLICATION_SLOT ${slotName} PHYSICAL RESERVE_WAL`)
  const base = await addBase()
  const begin = (await query(url, `select restart_lsn::text as lsn from pg_replication_slots`))[0]!.lsn as string
  const first = lsnOf(begin) - (lsnOf(begin) % BigInt(segmentSize))
  const receiving = receiveWal(replication, folder.wal, 1, first, () => {})
  for (let n = 0; n < 3; n++) await query(url, `insert into notes values (${n}); select pg_switch_wal()`)
  // Those before the copy do not count: without the last segment, nothing would be missing.
  await until(async () => {
    const segments = await folder.segmentsSince(base)
    return segments.filter(({ path }) => !path.endsWith('.partial')).length >= 3
  })
  await replication.close()
  await assert.rejects(receiving)
  await folder.verify(base)

  const [, second] = await folder.segmentsSince(base)
  const content = readFileSync(second!.path)
  rmSync(second!.path)
  await assert.rejects(folder.verify(base), /The WAL in .* is incomplete/)
  writeFileSync(second!.path, content)
  const archive = join(base.folder, 'base.tar.gz')
  const bytes = readFileSync(archive)
  bytes[bytes.length >> 1]! ^= 0xff
  writeFileSync(archive, bytes)
  await assert.rejects(folder.verify(base))
})

test('a backup that cannot be written fails with the reason', async (t) => {
  const { url, folder, replication } = await newDatabase(t)
  await assert.rejects(takeBaseBackup(replication, join(folder.path, 'missing')), {
    name: 'StartupError',
    message: /^The backup cannot be written: ENOENT/,
  })
  const second = await Replication.connect(url)
  await second.query(`CREATE_REPLICATION_SLOT ${slotName} PHYSICAL RESERVE_WAL`)
  rmSync(folder.wal, { recursive: true })
  const { xlogpos } = await second.query('IDENTIFY_SYSTEM')
  const start = lsnOf(xlogpos!) - (lsnOf(xlogpos!) % BigInt(segmentSize))
  await assert.rejects(
    receiveWal(second, folder.wal, 1, start, () => {}),
    /ENOENT/,
  )
})

test('a backup of a PostgreSQL of your own becomes a data folder that it can start on', async (t) => {
  const { dataDir, url, folder, addBase } = await newDatabase(t)
  await query(url, 'insert into notes values (1)')
  const base = await addBase()
  const cluster = join(tempFolder(t), 'data', 'postgres')
  await prepareCluster(folder, base, { cluster, moment: undefined })
  await assert.rejects(prepareCluster(folder, base, { cluster, moment: undefined }), /is not empty/)
  copyFileSync(join(dataDir, 'postgres.password'), join(cluster, '..', 'postgres.password'))
  if (isRoot) execFileSync('chown', ['-R', 'nobody', cluster])
  const restored = await start(t, join(cluster, '..'))
  assert.deepEqual(await query(restored.url, 'select id from notes'), [{ id: 1 }])
})

test('restore says what is wrong: no backup, a time before it, a time without zone, another database, a full DATA_DIR', async (t) => {
  const { dataDir, folder, addBase, replication, clock } = await newDatabase(t)
  const run = (...args: string[]) => runCommand(['restore', ...args], { env: { DATA_DIR: dataDir } })
  assert.match((await run(tempFolder(t))).output, /There is no backup in/)
  await addBase()
  assert.match(
    (await run(folder.path, '--to', '2020-01-01T00:00:00Z')).output,
    /The oldest backup .*: choose a later time/,
  )
  assert.match((await run(folder.path, '--to', '2020-01-01 00:00')).output, /a time with its zone/)
  assert.match((await run(folder.path)).output, /a PostgreSQL of your own: restore it with the version/)
  await folder.addBase(replication, { secret_key: 'a', postgres_password: 'b' }, clock)
  assert.match((await run(folder.path)).output, /already contains a database: set DATA_DIR to an empty folder/)
})

test('positions and segment names follow PostgreSQL', () => {
  assert.equal(lsnText(lsnOf('16/B374D848')), '16/B374D848')
  assert.equal(segmentName(1, lsnOf('16/B374D848')), '0000000100000016000000B3')
  assert.equal(segmentEnd('0000000100000016000000FF'), lsnOf('17/0'))
})

async function untilNextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000)
  await until(() => Math.floor(Date.now() / 1000) > second)
}

test('pruning leaves the newest copies and the WAL since the oldest of them', async (t) => {
  const { url, folder, addBase } = await newDatabase(t)
  const taken = []
  for (let count = 0; count < 3; count++) {
    await query(url, `insert into notes values (${count}); select pg_switch_wal()`)
    taken.push(await addBase())
    await untilNextSecond() // the name of a copy has seconds
  }
  const [range] = (await readManifest(taken[1]!.folder))['WAL-Ranges']
  const start = lsnOf(range!['Start-LSN'])
  const names = [start - BigInt(segmentSize), start, start + BigInt(segmentSize)].map((lsn) => segmentName(1, lsn))
  for (const name of names) writeFileSync(join(folder.wal, name), '')

  assert.equal(await folder.prune(2), 1)
  assert.deepEqual(
    (await folder.bases()).map(({ taken_at }) => taken_at),
    taken.slice(1).map(({ taken_at }) => taken_at),
  )
  assert.deepEqual(readdirSync(folder.wal).sort(), names.slice(1))
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => name.startsWith('deleted-')),
    [],
  )
  assert.equal(await folder.prune(2), 0)
})
