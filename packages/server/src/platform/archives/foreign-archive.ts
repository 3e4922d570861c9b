import { Readable } from 'node:stream'

/** The file is damaged, or not what it claims to be. The message says so to the operator. */
export class BadArchive extends Error {
  override name = 'BadArchive'
}

export interface ArchiveFile {
  size: number
  stream(): Readable
}

/** A zip file, an unpacked folder or a .tar.gz from outside, which may be hostile. Nothing is ever unpacked to a path. */
export interface Archive {
  /** SHA-256 of what identifies the archive. */
  digest: Buffer
  /** Undefined if there is no such file in it. The path is compared with names, never used as one of this machine. */
  find(path: string): Promise<ArchiveFile | undefined>
  /** The paths of all files. */
  names(): Promise<string[]>
  /** Reads every file once and throws a `BadArchive` if one is damaged. */
  verify(): Promise<void>
  close(): Promise<void>
}

export const archiveLimits = {
  entries: 500_000,
  /** How much larger content may be than what it is packed in; above `harmless` bytes. */
  ratio: 200,
  harmless: 64 * 1024 * 1024,
}

export function checkRatio(packed: number, size: number, name: string): void {
  if (size > archiveLimits.harmless && size > packed * archiveLimits.ratio)
    throw new BadArchive(`${name} is packed more than ${archiveLimits.ratio} times: it looks like a zip bomb.`)
}

export function checkEntryCount(count: number): void {
  if (count > archiveLimits.entries) throw new BadArchive(`The archive has more than ${archiveLimits.entries} entries.`)
}

/** A stream that is opened once it is read. */
export function lazily(open: () => Promise<Readable>): Readable {
  const chunks = async function* () {
    yield* await open()
  }
  return Readable.from(chunks(), { objectMode: false })
}
