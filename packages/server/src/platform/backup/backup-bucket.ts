import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { FileStore } from '../files/file-store.ts'
import { StartupError } from '../postgres/startup-error.ts'
import { BackupFolder } from './backup-folder.ts'
import { firstSegmentOf, parseManifest } from './base-backup.ts'
import { isSegment } from './wal-segments.ts'

const description = 'backup.json'
const manifest = 'backup_manifest'
const unfinished = '.partial'

/** Larger files are sent in parts: S3 takes at most 5 GB at once. */
const largestAtOnce = 100 * 1024 * 1024

/** A copy of a backup folder in a bucket, under the same names. A copy of the database is complete if it has its description. */
export class BackupBucket {
  readonly #store: FileStore
  /** When unfinished segments were last changed, which have the same size all the time. */
  readonly #sent = new Map<string, number>()

  constructor(store: FileStore) {
    this.#store = store
  }

  /** Sends what the bucket does not have. Returns how many files. */
  async upload(folder: BackupFolder): Promise<number> {
    const known = await this.#list()
    let count = 0
    for (const path of await pathsOf(folder.path)) {
      const found = await stat(join(folder.path, path)).catch(() => undefined) // deleted since it was listed
      if (!found) continue
      const { size, mtimeMs } = found
      const isSent = path.endsWith(unfinished) ? this.#sent.get(path) === mtimeMs : known.get(path) === size
      if (isSent) continue
      this.#sent.set(path, mtimeMs)
      await this.#store.put(path, createReadStream(join(folder.path, path)), size > largestAtOnce ? undefined : size)
      if (known.has(`${path}${unfinished}`)) await this.#store.delete(`${path}${unfinished}`)
      count++
    }
    return count
  }

  /** Deletes all copies but the newest ones, and the WAL that only those needed. Returns how many copies. */
  async prune(keep: number): Promise<number> {
    const paths = [...(await this.#list()).keys()]
    const bases = paths.filter((path) => isBase(path) && path.endsWith(`/${description}`)).sort()
    const old = bases.slice(0, -keep)
    for (const path of old) await this.#store.delete(path) // first: a copy without it is none
    const oldest = bases[old.length]
    if (oldest === undefined) return 0
    const first = firstSegmentOf(await this.#manifestOf(dirname(oldest)))
    const isOld = (path: string) => isBase(path) && dirname(path) < dirname(oldest)
    for (const path of paths) if (isOld(path) || isWalBefore(path, first)) await this.#store.delete(path)
    return old.length
  }

  /** Makes a folder with the copy that a restore needs, and what follows it. */
  async download(target: string, moment: Date | undefined): Promise<BackupFolder> {
    const paths = [...(await this.#list()).keys()]
    const folder = new BackupFolder(target)
    await folder.create()
    for (const path of paths) if (isBase(path) && path.endsWith(`/${description}`)) await this.#fetch(path, target)
    const base = await folder.baseFor(moment)
    const name = base.folder.slice(target.length + 1)
    for (const path of paths) if (dirname(path) === name) await this.#fetch(path, target)
    const first = firstSegmentOf(await this.#manifestOf(name))
    for (const path of paths)
      if (path.startsWith('files/') || (isWal(path) && !isWalBefore(path, first))) await this.#fetch(path, target)
    return folder
  }

  async #manifestOf(base: string) {
    const path = `${base}/${manifest}`
    return parseManifest(await text(await this.#read(path)), path)
  }

  async #fetch(path: string, target: string): Promise<void> {
    const place = join(target, path)
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    await pipeline(await this.#read(path), createWriteStream(place, { mode: 0o600 }))
  }

  async #read(path: string): Promise<Readable> {
    const file = await this.#store.open(path)
    if (!file) throw new StartupError(`The backup in the bucket is incomplete (${path}): use another one.`)
    return file.read()
  }

  async #list(): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for await (const { path, size } of this.#store.list()) found.set(path, size)
    return found
  }
}

/** Descriptions last. What is being written is left out. */
async function pathsOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((path) => isBase(path) || isWal(path) || path.startsWith('files/stored/'))
  const isLast = (path: string) => Number(path.endsWith(`/${description}`))
  return paths.sort((a, b) => isLast(a) - isLast(b) || (a < b ? -1 : 1))
}

const isBase = (path: string) => path.startsWith('base-')
const segmentOf = (path: string) => path.slice('wal/'.length).replace(unfinished, '')
const isWal = (path: string) => path.startsWith('wal/') && isSegment(segmentOf(path))
const isWalBefore = (path: string, first: string) => isWal(path) && segmentOf(path) < first
