import { rename, rm } from 'node:fs/promises'
import pg from 'pg'
import type { BackupFolder, Base } from '../platform/backup/backup-folder.ts'
import { prepareCluster, recoverySettings, removeRestoredWal } from '../platform/backup/restore-cluster.ts'
import { type DataDir, openDataDir } from '../platform/postgres/data-dir.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded.ts'
import { lockDataDir } from '../platform/postgres/lock.ts'
import { chooseAccount } from '../platform/postgres/os-account.ts'
import { replacePrivate } from '../platform/postgres/private-file.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'

export interface RestoreTarget {
  dataDir: string
  /** Undefined: as late as possible. */
  moment: Date | undefined
  /** See `EmbeddedOptions`. */
  systemFolder: string | undefined
}

/** Without the files. */
export async function restoreDatabase(folder: BackupFolder, base: Base, target: RestoreTarget): Promise<void> {
  const { dataDir, moment } = target
  const dir = await openDataDir(dataDir)
  await extractTo(dir, folder, base, moment)
  await replacePrivate(dir.password, `${base.secrets.postgres_password}\n`, dir.owner)
  try {
    await recover(target)
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
async function recover({ dataDir, systemFolder }: RestoreTarget): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir, systemFolder, log: () => {} })
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
