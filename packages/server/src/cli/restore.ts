import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, parseBackupBucket, readConfig } from '../config.ts'
import { BackupFolder, type Base, copyFiles } from '../platform/backup/backup-folder.ts'
import { openFileStore } from '../platform/files/open-file-store.ts'
import { hasCluster, openDataDir } from '../platform/postgres/data-dir.ts'
import { replacePrivate } from '../platform/postgres/private-file.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { parseSecrets } from '../platform/secret-file.ts'
import { openBucket } from './backup.ts'
import { printRows } from './print-table.ts'
import { restoreDatabase } from './restore-database.ts'

interface RestoreOptions {
  /** A moment, as ISO 8601. */
  to?: string
  /** Only try it. */
  drill?: boolean
}

/** Restores into an empty DATA_DIR, from a folder or from the URL of a bucket. */
export async function restore(from: string, options: RestoreOptions): Promise<void> {
  const moment = momentOf(options.to)
  if (!from.startsWith('s3:')) return restoreFrom(new BackupFolder(resolve(from)), moment, options)
  const bucket = (await openBucket({ backupBucket: parseBackupBucket(from) }))!
  const place = await mkdtemp(join(tmpdir(), 'parley-bucket-'))
  try {
    console.log('Fetching the backup …')
    await restoreFrom(await bucket.download(place, moment), moment, options)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

async function restoreFrom(folder: BackupFolder, moment: Date | undefined, options: RestoreOptions): Promise<void> {
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
  await restoreDatabase(folder, base, { dataDir: config.dataDir, moment, systemFolder: config.postgresPrograms })
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
  const findings = await drill(folder, moment, readConfig('production').postgresPrograms)
  printRows(
    findings.map((finding) => ({ ...finding })),
    {},
    '',
  )
  if (findings.some(({ result }) => result === 'problem')) process.exitCode = 1
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
