import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { type Config, readConfig } from '../config.ts'
import { BackupFolder, type Base, copyFiles } from '../platform/backup/backup-folder.ts'
import { prepareCluster, recoverySettings, removeRestoredWal } from '../platform/backup/restore-cluster.ts'
import { openFileStore } from '../platform/files/open-file-store.ts'
import { type DataDir, hasCluster, openDataDir } from '../platform/postgres/data-dir.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded.ts'
import { lockDataDir } from '../platform/postgres/lock.ts'
import { chooseAccount } from '../platform/postgres/os-account.ts'
import { replacePrivate } from '../platform/postgres/private-file.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { parseSecrets } from '../platform/secret-file.ts'
import { printRows } from './print-table.ts'

interface RestoreOptions {
  /** A moment, as ISO 8601. */
  to?: string
  /** Only try it. */
  drill?: boolean
}

/** Restores into an empty DATA_DIR. */
export async function restore(path: string, options: RestoreOptions): Promise<void> {
  const folder = new BackupFolder(resolve(path))
  const moment = momentOf(options.to)
  if (options.drill) return reportDrill(folder, moment)
  const config = readConfig('production')
  const base = await folder.baseFor(moment)
  console.log(`Verifying ${base.folder} …`)
  await folder.verify(base)
  // The database last: while there is none, the command can be repeated.
  await checkEmpty(base, config)
  await restoreSecret(base, config)
  const count = await copyFiles(
    folder.files,
    openFileStore(config, (message) => console.error(message)),
  )
  console.log('Replaying what changed since …')
  await restoreDatabase(folder, base, config.dataDir, moment)
  console.log(`Restored ${count} files. Start the server: clients load everything again.`)
}

function momentOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const moment = new Date(text)
  const isExact = /\d\d:\d\d/.test(text) && /(?:Z|[+-]\d\d:?\d\d)$/.test(text)
  if (Number.isNaN(moment.getTime()) || !isExact)
    throw new StartupError('--to must be a time with its zone, like 2026-01-31T12:00:00Z.')
  return moment
}

async function checkEmpty({ secrets }: Base, { dataDir }: Config): Promise<void> {
  if (secrets.postgres_password === undefined)
    throw new StartupError(
      'This is a backup of a PostgreSQL of your own: restore it with the version of Parley that made it.',
    )
  if (await hasCluster(dataDir))
    throw new StartupError(`${dataDir} already contains a database: set DATA_DIR to an empty folder.`)
}

async function reportDrill(folder: BackupFolder, moment: Date | undefined): Promise<void> {
  const { drill } = await import('./restore-drill.ts')
  const findings = await drill(folder, moment)
  printRows(
    findings.map((finding) => ({ ...finding })),
    {},
    '',
  )
  if (findings.some(({ result }) => result === 'problem')) process.exitCode = 1
}

/** Without the files. */
export async function restoreDatabase(folder: BackupFolder, base: Base, dataDir: string, moment: Date | undefined) {
  const dir = await openDataDir(dataDir)
  await extractTo(dir, folder, base, moment)
  await replacePrivate(dir.password, `${base.secrets.postgres_password}\n`, dir.owner)
  try {
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
  if (!parseSecrets(secret_key))
    return console.log('Set SECRET_KEY to the value it had. The backup has it in backup.json.')
  const { owner } = await openDataDir(dataDir)
  await rm(path, { force: true })
  await replacePrivate(path, secret_key, owner)
}
