import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Config, readConfig } from '../config.ts'
import { BackupBucket } from '../platform/backup/backup-bucket.ts'
import { BackupFolder, type Base, copyFiles, type Secrets } from '../platform/backup/backup-folder.ts'
import { readManifest } from '../platform/backup/base-backup.ts'
import { Replication } from '../platform/backup/replication.ts'
import { continueAt, receiveWal, slotName } from '../platform/backup/wal-receiver.ts'
import { lsnOf, segmentSize } from '../platform/backup/wal-segments.ts'
import type { FileStore } from '../platform/files/file-store.ts'
import { openFileStore } from '../platform/files/open-file-store.ts'
import { S3Files } from '../platform/files/s3/s3-files.ts'
import { hasCluster, openDataDir } from '../platform/postgres/data-dir.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded.ts'
import { findRunningPostgres } from '../platform/postgres/find-running.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { readSecretFile } from '../platform/secret-file.ts'
import { runUntilEnd } from './run-until-signal.ts'

interface BackupOptions {
  follow?: boolean
  verify?: boolean
  /** How many copies stay. */
  keep?: string
}

/** Backs up the database, the files and the secret, while the server runs. */
export async function backUp(path: string, { follow, verify, keep }: BackupOptions): Promise<void> {
  const folder = new BackupFolder(resolve(path))
  const kept = copiesToKeep(keep, follow || verify)
  if (verify) return verifyBackups(folder)
  const config = readConfig('production')
  const bucket = await openBucket(config)
  const source = await openSource(config)
  await folder.create()
  if (follow) return runUntilEnd(async () => followFrom(folder, source, bucket))
  try {
    await backUpOnce(folder, source)
    if (bucket) await sendTo(bucket, folder)
    if (kept !== undefined) await prune(folder, bucket, kept)
  } finally {
    await source.close()
  }
}

const mostCopies = 1000

function copiesToKeep(typed: string | undefined, isNoCopy: boolean | undefined): number | undefined {
  if (typed === undefined) return undefined
  const count = Number(typed)
  if (isNoCopy) throw new StartupError('--keep belongs to a new copy: leave out --follow and --verify.')
  if (!/^\d{1,4}$/.test(typed) || count < 1 || count > mostCopies)
    throw new StartupError(`--keep must be a whole number from 1 to ${mostCopies}, not "${typed}".`)
  return count
}

/** Also for a restore, which reads from it. */
export async function openBucket({ backupBucket }: Pick<Config, 'backupBucket'>): Promise<BackupBucket | undefined> {
  if (!backupBucket) return undefined
  const store = new S3Files(backupBucket, (message) => console.error(message))
  await store.prepare()
  return new BackupBucket(store)
}

async function sendTo(bucket: BackupBucket, folder: BackupFolder): Promise<void> {
  console.log(`Sent ${await bucket.upload(folder)} new files to the bucket.`)
}

async function prune(folder: BackupFolder, bucket: BackupBucket | undefined, keep: number): Promise<void> {
  await bucket?.prune(keep)
  const count = await folder.prune(keep)
  if (count > 0) console.log(`Deleted ${count} older copies; nothing before the oldest of ${keep} can be restored.`)
}

async function verifyBackups(folder: BackupFolder): Promise<void> {
  const bases = await folder.bases()
  if (bases.length === 0) throw new StartupError(`There is no backup in ${folder.path}.`)
  for (const base of bases) {
    await folder.verify(base)
    console.log(`${base.folder} is complete and undamaged.`)
  }
}

const ownPostgres =
  'parley backup copies the embedded PostgreSQL, and DATABASE_URL names one of your own: back that up with pgBackRest or WAL-G, and keep SECRET_KEY and the files. docs/backup.md says how.'

interface Source {
  url: string
  files: FileStore
  secrets: Secrets
  close(): Promise<void>
}

async function openSource(config: Config): Promise<Source> {
  if ((config.databaseOwnerUrl ?? config.databaseUrl) !== undefined) throw new StartupError(ownPostgres)
  const { dataDir, postgresPrograms: systemFolder } = config
  const secret_key = config.secretKey ?? (await readSecretFile(dataDir)).join('\n')
  const files = openFileStore(config, (message) => console.error(message))
  if (!(await hasCluster(dataDir))) throw new StartupError(`There is no Parley data in ${dataDir}: set DATA_DIR.`)
  const running = await findRunningPostgres(dataDir)
  const postgres =
    running ?? (await startEmbeddedPostgres({ dataDir, systemFolder, log: (line) => console.error(line) }))
  const postgres_password = (await readFile((await openDataDir(dataDir)).password, 'utf8')).trim()
  const close = 'stop' in postgres ? postgres.stop : postgres.close
  return { url: postgres.url, files, secrets: { secret_key, postgres_password }, close }
}

async function backUpOnce(folder: BackupFolder, { url, files, secrets }: Source): Promise<Base> {
  const replication = await Replication.connect(url)
  try {
    const base = await folder.addBase(replication, secrets, () => readClock(url))
    // After the database, so that every file that it knows is there.
    const count = await copyFiles(files, folder.files)
    await noteBackup(url)
    console.log(`Wrote and verified ${base.folder}, and copied ${count} new files. Only you can read them.`)
    return base
  } finally {
    await replication.close()
  }
}

/** For the metrics. A database that this version has not migrated yet is backed up as well, without a note. */
async function noteBackup(url: string): Promise<void> {
  const note = 'update server_settings set backed_up_at = clock_timestamp()'
  await withClient(url, (client) => client.query(note)).catch(() => {})
}

/** The clock of the database, which the moments of commits are compared with. */
async function readClock(url: string): Promise<Date> {
  const { rows } = await withClient(url, (client) => client.query<{ now: Date }>('select clock_timestamp() as now'))
  return rows[0]!.now
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}

const filesEveryMilliseconds = 10_000
/** The unfinished segment, 16 MiB, is sent each time if it has changed. */
const bucketEveryMilliseconds = 60_000

/** Receives the WAL and copies new files until the process is stopped. */
async function followFrom(
  folder: BackupFolder,
  source: Source,
  bucket?: BackupBucket,
): Promise<{ close(): Promise<void> }> {
  const replication = await Replication.connect(source.url)
  const { timeline } = await replication.query('IDENTIFY_SYSTEM')
  await createSlot(replication)
  const [oldest] = await folder.bases()
  if (oldest && oldest.timeline !== Number(timeline))
    throw new StartupError(`The database was restored or failed over since ${oldest.folder}: use a new folder.`)
  const base = oldest ?? (await backUpOnce(folder, source))
  const ended = new AbortController()
  const wal = receiveWal(replication, folder.wal, base.timeline, await startOf(folder, base), () => {})
  const copies = [
    repeatedly(
      () => copyFiles(source.files, folder.files),
      filesEveryMilliseconds,
      'Files were not copied',
      ended.signal,
    ),
  ]
  if (bucket)
    copies.push(repeatedly(() => bucket.upload(folder), bucketEveryMilliseconds, 'Nothing was sent', ended.signal))
  void wal.catch((error: Error) => {
    if (ended.signal.aborted) return
    console.error(whyEnded(error, folder))
    process.exit(1)
  })
  console.log(`Following the database into ${folder.path}. Stop: Ctrl-C, or SIGTERM`)
  return {
    async close() {
      ended.abort()
      await replication.close()
      await Promise.allSettled([wal, ...copies])
      await source.close()
    },
  }
}

/** Already there if an earlier backup was stopped: then the server has kept what it missed, unless that was too much. */
async function createSlot(replication: Replication): Promise<void> {
  const { slot_type, restart_lsn } = await replication.query(`READ_REPLICATION_SLOT ${slotName}`)
  if (restart_lsn) return
  if (slot_type) await replication.query(`DROP_REPLICATION_SLOT ${slotName}`)
  await replication.query(`CREATE_REPLICATION_SLOT ${slotName} PHYSICAL RESERVE_WAL`)
}

const missingFile = '58P01'

function whyEnded(error: Error & { code?: string }, { path }: BackupFolder): string {
  return error.code === missingFile
    ? `The database no longer has what changed since the last backup in ${path}: use a new folder.`
    : `The backup ended: ${error.message}. Start it again: it continues where it ended.`
}

async function startOf(folder: BackupFolder, base: Base): Promise<bigint> {
  const [range] = (await readManifest(base.folder))['WAL-Ranges']
  const start = lsnOf(range!['Start-LSN'])
  return (await continueAt(folder.wal)) ?? start - (start % BigInt(segmentSize))
}

async function repeatedly(work: () => Promise<unknown>, pause: number, failure: string, signal: AbortSignal) {
  while (!signal.aborted) {
    await work().catch((error: Error) => console.error(`${failure}: ${error.message}`))
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}
