import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { type Config, readConfig } from '../boot/config.ts'
import { BackupFolder, type Base, copyFiles } from '../platform/backup/backup-folder.ts'
import { prepareCluster, recoverySettings, removeRestoredWal } from '../platform/backup/restore-cluster.ts'
import { openFileStore } from '../platform/files/open-file-store.ts'
import { type DataDir, hasCluster, openDataDir } from '../platform/postgres/data-dir.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded.ts'
import { lockDataDir } from '../platform/postgres/lock.ts'
import { chooseAccount } from '../platform/postgres/os-account.ts'
import { replacePrivate } from '../platform/postgres/private-file.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'

interface RestoreOptions {
  /** A moment, as ISO 8601. */
  to?: string
  /** The data folder of the operator's PostgreSQL. */
  postgres?: string
}

/** Restores into an empty DATA_DIR, or prepares the data folder of another PostgreSQL. */
export async function restore(path: string, options: RestoreOptions): Promise<void> {
  const config = readConfig('production')
  const folder = new BackupFolder(resolve(path))
  const moment = momentOf(options.to)
  const base = await folder.baseFor(moment)
  console.log(`Verifying ${base.folder} …`)
  await folder.verify(base)
  // The database last: while there is none, the command can be repeated.
  if (options.postgres === undefined) await checkEmpty(base, config)
  else await restoreFor(folder, base, resolve(options.postgres), moment)
  await restoreSecret(base, config)
  const count = await copyFiles(
    folder.files,
    openFileStore(config, (message) => console.error(message)),
  )
  if (options.postgres === undefined) await restoreEmbedded(folder, base, config, moment)
  console.log(`Restored ${count} files. Start the server: clients load everything again.`)
}

function momentOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime()) || !/\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)$/.test(text))
    throw new StartupError('--to must be a time with its zone, like 2026-01-31T12:00:00Z.')
  return moment
}

async function restoreFor(folder: BackupFolder, base: Base, cluster: string, moment: Date | undefined): Promise<void> {
  await prepareCluster(folder, base, { cluster, moment })
  console.log(`${cluster} is prepared: give it to the user of PostgreSQL and start PostgreSQL on it.`)
  console.log(
    'It replays up to the chosen time and then accepts connections. After that delete restored_wal in it, and run:',
  )
  for (const name of recoverySettings) console.log(`  ALTER SYSTEM RESET ${name};`)
}

async function checkEmpty({ secrets }: Base, { dataDir }: Config): Promise<void> {
  if (secrets.postgres_password === undefined)
    throw new StartupError('This is a backup of a PostgreSQL of your own: name its new data folder with --postgres.')
  if (await hasCluster(dataDir))
    throw new StartupError(`${dataDir} already contains a database: set DATA_DIR to an empty folder.`)
}

async function restoreEmbedded(folder: BackupFolder, base: Base, { dataDir }: Config, moment: Date | undefined) {
  const dir = await openDataDir(dataDir)
  await extractTo(dir, folder, base, moment)
  await replacePrivate(dir.password, `${base.secrets.postgres_password}\n`, dir.owner)
  try {
    console.log('Replaying what changed since …')
    await recover(dataDir)
  } catch (error) {
    await rm(dir.cluster, { recursive: true, force: true }) // so that the command can be repeated
    if (!/recovery ended before configured recovery target/.test((error as Error).message)) throw error
    throw new StartupError(
      'The backup ends before that time: choose an earlier one, or leave out --to for the last one.',
    )
  }
  await removeRestoredWal(dir.cluster)
}

async function extractTo(dir: DataDir, folder: BackupFolder, base: Base, moment: Date | undefined): Promise<void> {
  const unlock = await lockDataDir(dir)
  try {
    await rm(dir.unfinished, { recursive: true, force: true })
    const { stepDown, uid, gid } = await chooseAccount(dir)
    const owner = stepDown ? { owner: { uid, gid } } : {}
    await prepareCluster(folder, base, { cluster: dir.unfinished, moment, ...owner })
    await rename(dir.unfinished, dir.cluster)
  } finally {
    unlock()
  }
}

/** PostgreSQL is ready when it has replayed everything. Event queues end, because their clients may know what is lost. */
async function recover(dataDir: string): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
  const client = new pg.Client({ connectionString: postgres.url })
  try {
    await client.connect()
    await client.query('delete from queues')
    for (const name of recoverySettings) await client.query(`alter system reset ${name}`)
  } finally {
    await client.end().catch(() => {})
    await postgres.stop()
  }
}

async function restoreSecret({ secrets: { secret_key } }: Base, { dataDir, secretKey }: Config): Promise<void> {
  if (secretKey === secret_key) return
  const path = join(dataDir, 'secret.key')
  if (!/^[0-9a-f]{64}$/.test(secret_key))
    return console.log('Set SECRET_KEY to what it was; it is also in the backup (backup.json).')
  const { owner } = await openDataDir(dataDir)
  await rm(path, { force: true })
  await replacePrivate(path, secret_key, owner)
}
