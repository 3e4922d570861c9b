import type { Context } from '../../context.ts'
import type { KeptIds } from '../../identity/accounts/kept-ids.ts'
import type { Archive } from '../../platform/archives/foreign-archive.ts'
import type { Written } from './find-differences.ts'
import type { Problems } from './found-problems.ts'
import type { ImportOptions, RunBase } from './run.ts'
import type { Counts } from './source.ts'

/** An import that begins to write. */
export interface Begun extends RunBase {
  ctx: Context
  options: ImportOptions
  progress(count: number): void
}

/** A file that was scanned: it is what it claims to be, and everything in it is known. */
export interface Importable {
  plan: Problems
  /** Messages that will be written. */
  count: number
  /** The ids that a new organization takes over where it is the only one. */
  kept?: KeptIds | undefined
  /** Writes everything into the organization, which is closed. */
  write(begun: Begun): Promise<Written>
  /** What the format itself has lost, for the report. */
  lost(counts: Counts): string[]
  close(): Promise<void>
}

/** A program whose exports can be imported. */
export interface Program {
  /** The file without which an archive is not one of it. */
  main: string
  /** `folder`: for temporary files. Throws a `BadArchive` if the archive is damaged or not what it claims to be. */
  scan(archive: Archive, folder: string): Promise<Importable>
}
