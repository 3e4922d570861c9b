import type { Dirent } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { linkLibraries } from './library-links.ts'

export interface BinaryCopy {
  native: string
  /** Deletes the copy if this call created it. */
  discard(): Promise<void>
}

/** Copies the package's programs into `parent`, into a folder named after their version, unless it already exists. */
export async function copyBinaries(native: string, parent: string): Promise<BinaryCopy> {
  const copy = join(parent, `parley-postgres-${await packageVersion(native)}`)
  const isNew = !(await isOurs(copy))
  if (isNew) await makeCopy(native, copy)
  return {
    native: join(copy, 'native'),
    discard: async () => {
      if (isNew) await rm(copy, { recursive: true, force: true })
    },
  }
}

async function packageVersion(native: string): Promise<string> {
  const description = JSON.parse(await readFile(join(native, '../package.json'), 'utf8')) as { version: string }
  return `${description.version}-${process.arch}`
}

/** Anyone can create a folder of that name in /tmp; we run only programs that we or root copied. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined)
  if (!found) return false
  const isTrusted = found.uid === 0 || found.uid === process.geteuid?.()
  if (found.isDirectory() && isTrusted && (found.mode & 0o022) === 0) return true
  throw new Error(`${folder} belongs to another user`)
}

/** The copy is renamed once it is complete, so that concurrent starts never see half a copy. */
async function makeCopy(native: string, target: string): Promise<void> {
  const draft = await mkdtemp(`${target}.`)
  try {
    await copyTree(native, join(draft, 'native'))
    await linkLibraries(join(draft, 'native'))
    await chmod(draft, 0o755)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await isOurs(target))) throw error
  }
}

/** Modes are set, not copied: a package unpacked under umask 077 is one of the reasons to copy. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  const entries = await readdir(from, { withFileTypes: true })
  await Promise.all(entries.map((entry) => copyEntry(entry, join(from, entry.name), join(to, entry.name))))
}

async function copyEntry(entry: Dirent, source: string, target: string): Promise<void> {
  if (entry.isDirectory()) return copyTree(source, target)
  if (!entry.isFile() || entry.name.endsWith('.a')) return // links are created again, static libraries are not needed
  await copyFile(source, target)
  const { mode } = await lstat(source)
  await chmod(target, mode & 0o100 ? 0o755 : 0o644)
}
