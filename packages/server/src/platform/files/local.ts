import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { checkPath, type FileStore, type ListedFile, type StoredFile } from './file-store.ts'

const day = 24 * 60 * 60 * 1000

/** Stores files in a local folder. */
export class LocalFiles implements FileStore {
  readonly #folder: string
  readonly #unfinished: string

  constructor(folder: string) {
    this.#folder = join(folder, 'stored')
    this.#unfinished = join(folder, 'unfinished')
  }

  /** Writes a temporary file and renames it, so that the path never shows a partial file, not even after a crash. */
  async put(path: string, content: Readable | Buffer): Promise<number> {
    const target = this.#at(path)
    const aside = join(this.#unfinished, randomUUID())
    await mkdir(this.#unfinished, { recursive: true, mode: 0o700 })
    try {
      const size = await writeFlushed(aside, content)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await rename(aside, target)
      await this.#flushFoldersOf(target)
      return size
    } catch (error) {
      await rm(aside, { force: true })
      throw error
    }
  }

  async open(path: string): Promise<StoredFile | undefined> {
    const handle = await open(this.#at(path), 'r').catch(unlessMissing)
    return handle && storedFile(handle)
  }

  async delete(path: string): Promise<void> {
    await unlink(this.#at(path)).catch(unlessMissing)
  }

  async *list(folder = this.#folder): AsyncGenerator<ListedFile> {
    const entries = (await readdir(folder, { withFileTypes: true }).catch(unlessMissing)) ?? []
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) yield* this.list(path)
      const size = entry.isFile() ? (await stat(path).catch(unlessMissing))?.size : undefined
      if (size !== undefined) yield { path: relative(this.#folder, path), size }
    }
  }

  async prepare(): Promise<void> {
    // Folders are created when they are needed; a full disk is a warning (see checkWritable).
  }

  async checkWritable(): Promise<void> {
    const path = join(this.#unfinished, randomUUID())
    await mkdir(this.#unfinished, { recursive: true, mode: 0o700 })
    await writeFile(path, Buffer.alloc(4096)).finally(() => rm(path, { force: true }))
  }

  async removeUnfinished(): Promise<void> {
    const names = (await readdir(this.#unfinished).catch(unlessMissing)) ?? []
    for (const name of names) {
      const path = join(this.#unfinished, name)
      const { mtimeMs } = (await stat(path).catch(unlessMissing)) ?? { mtimeMs: Date.now() }
      if (mtimeMs < Date.now() - day) await rm(path, { force: true })
    }
  }

  #at(path: string): string {
    return join(this.#folder, checkPath(path))
  }

  /** A rename is durable only after the folder that contains the name is flushed, and so are its parents. */
  async #flushFoldersOf(target: string): Promise<void> {
    for (let folder = dirname(target); folder.length >= this.#folder.length; folder = dirname(folder)) {
      const handle = await open(folder, 'r')
      await handle.sync().finally(() => handle.close())
    }
  }
}

async function writeFlushed(path: string, content: Readable | Buffer): Promise<number> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

async function storedFile(handle: FileHandle): Promise<StoredFile> {
  const { size } = await handle.stat()
  return {
    size,
    read: (range) => handle.createReadStream(range),
    close: () => handle.close(),
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
