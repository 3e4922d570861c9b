import { constants } from 'node:fs'
import { access, readFile, stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import type { DataDir } from './data-dir.ts'
import { openPrivate } from './private-file.ts'
import { errorCode, reasonOf, StartupError } from './startup-error.ts'

const SQLITE_BUSY = 5

/**
 * Allows one Parley per DATA_DIR. Node has no API for file locks, but SQLite takes one (fcntl) for an exclusive
 * transaction. The kernel grants it to one process only, also across containers that share the folder, and releases it
 * however the process ends: there are no stale locks and no reused pids. The file itself stays empty.
 */
export async function lockDataDir(dir: DataDir): Promise<() => void> {
  await createLockFile(dir)
  const database = new DatabaseSync(dir.lock, { open: false })
  try {
    await access(dir.lock, constants.R_OK | constants.W_OK)
    database.open()
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return () => database.close()
  } catch (error) {
    if (database.isOpen) database.close()
    throw await lockError(dir, error)
  }
}

/** An existing file is not opened: closing any descriptor of it would release a lock that this process may hold. */
async function createLockFile(dir: DataDir): Promise<void> {
  try {
    const file = await openPrivate(dir.lock, constants.O_RDWR | constants.O_EXCL, dir.owner)
    await file.close()
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return
    throw notWritable(dir, error)
  }
}

async function lockError(dir: DataDir, error: unknown): Promise<StartupError> {
  if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) return notWritable(dir, error)
  const holder = await lockHolder(dir.lock)
  return new StartupError(
    `Another Parley${holder} is using DATA_DIR ${dir.root}: stop it first or set DATA_DIR to another folder.`,
    { cause: error },
  )
}

function notWritable(dir: DataDir, error: unknown): StartupError {
  return new StartupError(
    `DATA_DIR ${dir.root} cannot be written (${reasonOf(error)}): make it writable for this user or set DATA_DIR to another folder.`,
    { cause: error },
  )
}

/** For the error message only: the kernel's list of locks shows inode and process. */
async function lockHolder(path: string): Promise<string> {
  const { ino } = await stat(path)
  const locks = await readFile('/proc/locks', 'utf8').catch(() => '')
  const pid = locks.match(new RegExp(`WRITE +(\\d+) [0-9a-f]+:[0-9a-f]+:${ino} `))?.[1]
  return pid ? ` (process ${pid})` : ''
}
