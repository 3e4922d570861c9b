import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FileStore } from '../files/file-store.ts'
import { LocalFiles } from '../files/local.ts'
import { StartupError } from '../postgres/startup-error.ts'
import { firstSegmentOf, readManifest, takeBaseBackup, verifyBaseBackup } from './base-backup.ts'
import type { Replication } from './replication.ts'
import { isSegment, lsnOf, segmentName, segmentSize } from './wal-segments.ts'

/** What a backup needs besides the database. */
export interface Secrets {
  secret_key: string
  /** The password of the embedded database. */
  postgres_password?: string
}

/** A copy of the whole database, from which any later moment can be reached with the WAL. */
export interface Base {
  folder: string
  /** The earliest moment to which it can be restored. */
  taken_at: string
  timeline: number
  secrets: Secrets
}

/**
 * A folder with backups: `base-…` (copies of the database), `wal` (what changed after them) and `files`. Files are shared by
 * all copies, because their content never changes.
 */
export class BackupFolder {
  readonly path: string
  readonly wal: string
  readonly files: LocalFiles

  constructor(path: string) {
    this.path = path
    this.wal = join(path, 'wal')
    this.files = new LocalFiles(join(path, 'files'))
  }

  async create(): Promise<void> {
    await mkdir(this.wal, { recursive: true, mode: 0o700 })
  }

  /** Takes and verifies a copy. It gets its name when it is complete. */
  async addBase(replication: Replication, secrets: Secrets, now: () => Promise<Date>): Promise<Base> {
    const unfinished = join(this.path, 'unfinished')
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { mode: 0o700 })
    await takeBaseBackup(replication, unfinished)
    await verifyBaseBackup(unfinished)
    const [range] = (await readManifest(unfinished))['WAL-Ranges']
    const taken_at = (await now()).toISOString()
    const base = { taken_at, timeline: range!.Timeline, secrets }
    await writeFile(join(unfinished, 'backup.json'), JSON.stringify(base), { mode: 0o600, flush: true })
    const folder = join(this.path, `base-${taken_at.replace(/[-:]|\.\d+/g, '')}`)
    await rename(unfinished, folder)
    return { folder, ...base }
  }

  /** Complete copies, the oldest first. */
  async bases(): Promise<Base[]> {
    const names = await readdir(this.path).catch(() => [] as string[])
    const folders = names.filter((name) => name.startsWith('base-')).map((name) => join(this.path, name))
    const bases = folders.sort().map(async (folder) => {
      const text = await readFile(join(folder, 'backup.json'), 'utf8')
      return { folder, ...(JSON.parse(text) as Omit<Base, 'folder'>) }
    })
    return Promise.all(bases)
  }

  /** The last copy before the moment. */
  async baseFor(moment: Date | undefined): Promise<Base> {
    const bases = await this.bases()
    const base = bases.findLast(({ taken_at }) => moment === undefined || new Date(taken_at) <= moment)
    if (base) return base
    throw new StartupError(
      bases.length === 0
        ? `There is no backup in ${this.path}: make one with "parley backup".`
        : `The oldest backup in ${this.path} is of ${bases[0]!.taken_at}: choose a later time.`,
    )
  }

  /** The WAL since a copy, in order, with the name under which PostgreSQL asks for it. */
  async segmentsSince({ folder }: Base): Promise<{ name: string; path: string }[]> {
    const first = firstSegmentOf(await readManifest(folder))
    const found = (await readdir(this.wal)).map((file) => ({
      name: file.replace(/\.partial$/, ''),
      path: join(this.wal, file),
    }))
    const later = found.filter(({ name }) => isSegment(name) && name >= first)
    return later.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Deletes all copies but the newest ones, and the WAL that only those needed. Returns how many copies. */
  async prune(keep: number): Promise<number> {
    const bases = await this.bases()
    const old = bases.slice(0, -keep)
    // Under another name at once: a copy that is half deleted is none.
    for (const { folder } of old) await rename(folder, join(this.path, `deleted-${basename(folder)}`))
    for (const name of await readdir(this.path))
      if (name.startsWith('deleted-')) await rm(join(this.path, name), { recursive: true })
    const oldest = bases[old.length]
    if (oldest) await this.#deleteWalBefore(oldest)
    return old.length
  }

  async #deleteWalBefore({ folder }: Base): Promise<void> {
    const first = firstSegmentOf(await readManifest(folder))
    for (const file of await readdir(this.wal)) {
      const name = file.replace(/\.partial$/, '')
      if (isSegment(name) && name < first) await rm(join(this.wal, file))
    }
  }

  /** Throws if a copy is damaged, or if there is a gap in the WAL after it. */
  async verify(base: Base): Promise<void> {
    await verifyBaseBackup(base.folder)
    const segments = await this.segmentsSince(base)
    const [range] = (await readManifest(base.folder))['WAL-Ranges']
    let expected = lsnOf(range!['Start-LSN'])
    for (const { name, path } of segments) {
      const isNext = name === segmentName(base.timeline, expected)
      if (!isNext || (await stat(path)).size !== segmentSize)
        throw new StartupError(`The WAL in ${this.wal} is incomplete before ${name}: make a new backup.`)
      expected += BigInt(segmentSize)
    }
  }
}

/** Copies the files that the other store does not have. Returns how many. */
export async function copyFiles(from: FileStore, to: FileStore): Promise<number> {
  const known = new Map<string, number>()
  for await (const { path, size } of to.list()) known.set(path, size)
  let count = 0
  for await (const { path, size } of from.list()) {
    if (known.get(path) === size) continue
    const file = await from.open(path) // undefined: deleted since it was listed
    if (file) await to.put(path, file.read(), file.size)
    count++
  }
  return count
}
