import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { DataDir } from './data-dir.ts'

/**
 * Opens a private file in DATA_DIR, readable only by the folder's owner. When root starts Parley in another user's
 * folder, that user owns the files, so that they can start it themselves later. Symbolic links are never followed, so
 * that they cannot redirect root elsewhere.
 */
export async function openPrivate(path: string, flags: number, owner: DataDir['owner']): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  try {
    if (process.geteuid?.() === 0) await file.chown(owner.uid, owner.gid)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Writes the file atomically. */
export async function replacePrivate(path: string, content: string | Buffer, owner: DataDir['owner']): Promise<void> {
  const draft = `${path}.new`
  await rm(draft, { force: true })
  const file = await openPrivate(draft, constants.O_WRONLY | constants.O_EXCL, owner)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}
