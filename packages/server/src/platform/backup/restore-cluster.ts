import { createWriteStream } from 'node:fs'
import { appendFile, chown, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StartupError } from '../postgres/startup-error.ts'
import type { BackupFolder, Base } from './backup-folder.ts'
import { readArchive } from './base-backup.ts'
import { tarMembers } from './tar-reader.ts'

/** Inside the cluster, so that PostgreSQL can read it even if its user cannot read the backup. */
const walFolder = 'restored_wal'
export const recoverySettings = ['restore_command', 'hot_standby', 'recovery_target_time', 'recovery_target_action']

interface Target {
  /** An empty or missing folder. */
  cluster: string
  /** The user that PostgreSQL runs as, if it is not ours. */
  owner?: { uid: number; gid: number }
  /** Undefined: as late as possible. */
  moment: Date | undefined
}

/** Makes a data folder of PostgreSQL that replays the WAL up to the moment when it is started. */
export async function prepareCluster(backup: BackupFolder, base: Base, target: Target): Promise<void> {
  const { cluster, moment } = target
  if ((await readdir(cluster).catch(() => [])).length > 0)
    throw new StartupError(`${cluster} is not empty: choose another folder, or move it away.`)
  await extract(base, cluster)
  await mkdir(join(cluster, walFolder), { mode: 0o700 })
  for (const { name, path } of await backup.segmentsSince(base)) await copyFile(path, join(cluster, walFolder, name))
  const settings = [
    `restore_command = 'cp ${walFolder}/%f %p'`,
    'hot_standby = off', // no connections before everything is replayed
    ...(moment
      ? [
          `recovery_target_time = '${moment.toISOString().replace('T', ' ').replace('Z', '+00')}'`,
          `recovery_target_action = 'promote'`,
        ]
      : []),
  ]
  await appendFile(join(cluster, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
  await writeFile(join(cluster, 'recovery.signal'), '', { mode: 0o600 })
  if (target.owner) await giveTo(cluster, target.owner)
}

async function extract({ folder }: Base, cluster: string): Promise<void> {
  await mkdir(cluster, { recursive: true, mode: 0o700 })
  for await (const { name, isFolder, content } of tarMembers(readArchive(folder))) {
    const path = join(cluster, name)
    if (!path.startsWith(cluster))
      throw new StartupError(`The backup ${folder} contains a file outside of the database.`)
    await mkdir(isFolder ? path : dirname(path), { recursive: true, mode: 0o700 })
    if (isFolder) for await (const _chunk of content);
    else await pipeline(Readable.from(content), createWriteStream(path, { mode: 0o600 }))
  }
}

async function giveTo(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await chown(folder, uid, gid)
  for (const entry of await readdir(folder, { recursive: true })) await chown(join(folder, entry), uid, gid)
}

export async function removeRestoredWal(cluster: string): Promise<void> {
  await rm(join(cluster, walFolder), { recursive: true, force: true })
}
