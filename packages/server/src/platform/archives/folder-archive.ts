import { constants, type FileHandle, open, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { digestOf } from './digest.ts'
import { type Archive, checkEntryCount, lazily } from './foreign-archive.ts'

/** An unpacked folder. Files outside of it are not found, not even through links. `main` identifies it. */
export async function openFolder(path: string, main: string): Promise<Archive> {
  const root = await realpath(path)
  const handle = await openInside(root, main)
  const digest = handle ? await digestOf(handle.createReadStream()) : Buffer.alloc(0)
  return {
    digest,
    find: async (name) => {
      const file = await openInside(root, name)
      if (!file) return undefined
      const { size } = await file.stat()
      await file.close()
      return { size, stream: () => lazily(async () => (await openInside(root, name))!.createReadStream()) }
    },
    names: () => namesIn(root),
    verify: async () => {}, // a folder has no checksums
    close: async () => {},
  }
}

async function namesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  checkEntryCount(entries.length)
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
}

/** Undefined unless the path is that of a plain file, without links on the way to it. */
async function openInside(root: string, name: string): Promise<FileHandle | undefined> {
  if (name.includes('\0') || name.split('/').includes('..')) return undefined
  const path = join(root, name)
  const real = await realpath(path).catch(() => undefined)
  if (real !== path || !real.startsWith(root + sep)) return undefined
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  )
  if (!handle || (await handle.stat()).isFile()) return handle
  await handle.close()
}
