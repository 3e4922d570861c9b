import { mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { errorCode, reasonOf, StartupError } from './startup-error.ts'

/**
 * The layout of DATA_DIR. Only `cluster` belongs to PostgreSQL's user; the other files belong to the folder's owner.
 */
export interface DataDir {
  root: string
  owner: { uid: number; gid: number }
  cluster: string
  /** initdb works here; the folder is renamed when it is complete. */
  unfinished: string
  password: string
  log: string
  lock: string
}

export async function openDataDir(path: string): Promise<DataDir> {
  const root = await createFolder(resolve(path))
  const { uid, gid } = await stat(root)
  return {
    root,
    owner: { uid, gid },
    cluster: join(root, 'postgres'),
    unfinished: join(root, 'postgres.unfinished'),
    password: join(root, 'postgres.password'),
    log: join(root, 'postgres.log'),
    lock: join(root, 'parley.lock'),
  }
}

/** Whether DATA_DIR contains a database. Creates nothing. */
export function hasCluster(path: string): Promise<boolean> {
  return stat(join(resolve(path), 'postgres')).then(
    () => true,
    (error) => errorCode(error) !== 'ENOENT', // access errors are reported when the database is opened
  )
}

async function createFolder(path: string): Promise<string> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await mkdir(path, { recursive: true, mode: 0o700 })
    return await realpath(path)
  } catch (error) {
    if (['EEXIST', 'ENOTDIR'].includes(errorCode(error))) {
      throw new StartupError(`DATA_DIR ${path} is a file or is below one: set DATA_DIR to a folder.`, {
        cause: error,
      })
    }
    throw new StartupError(
      `DATA_DIR ${path} cannot be created (${reasonOf(error)}): create it for this user or set DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

/** Recognizes the messages of PostgreSQL and our own. */
export function meansDiskFull(reason: string): boolean {
  return /No space left|Disk quota|disk is full|quota is used/.test(reason)
}

export function diskFull(dir: DataDir, cause?: unknown): StartupError {
  return new StartupError(
    `The disk of DATA_DIR ${dir.root} is full: free at least 100 MB or set DATA_DIR to another folder.`,
    { cause },
  )
}
