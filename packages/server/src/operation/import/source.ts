import type { Archive, ArchiveFile } from '../../platform/archives/foreign-archive.ts'
import type { Records } from './records/records.ts'

export type Counts = Record<string, number>

/** Takes what an adapter reads. A record that is not as it must be throws, and the adapter lists it as a problem. */
export interface Sink {
  add<Kind extends keyof Records>(kind: Kind, record: Records[Kind]): void
  problem(problem: Problem): void
  /** Counts something that is in the report. */
  count(what: string, by?: number): void
  /** Writes what waits in memory. Call it after each part that may be long. */
  settle(): Promise<void>
  /** What the organization is called there. */
  organization(name: string): void
}

export interface Problem {
  /** What was `changed` came along, the others did not. */
  kind: 'dropped' | 'changed' | 'missing'
  /** In the file. */
  place: string
  error: string
}

/** How the markup of names looks here. Undefined for what does not exist, or what readers may not see. */
export interface Names {
  user(key: string): string | undefined
  channel(key: string): string | undefined
}

/** An adapter: bytes in, records out. It knows neither the database nor ids. */
export interface Source {
  /** The file without which an archive is not one of this source. */
  main: string
  read(archive: Archive, sink: Sink): Promise<void>
  /** Text of the source as ours. `place` is the key of the channel or conversation. */
  toMarkup(text: string, place: string, names: Names): string
  /** Our name of a built-in emoji. */
  emojiName(name: string): string | undefined
  /** A file that is not in the archive but at an address of the program. Undefined if it cannot be had. */
  download?(path: string): Promise<ArchiveFile | undefined>
  /** What the format itself has lost, for the report. */
  lost(counts: Counts): string[]
}
