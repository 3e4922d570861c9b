import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import type { Sink } from '../source.ts'

export interface SlackThread {
  replies: number
  title: string
}

/** A channel or a conversation. */
export interface SlackPlace {
  key: string
  /** Of direct conversations. */
  members?: string[]
  /** Where its days are. */
  folder: string
}

/** What is known while an export is read. */
export interface SlackReading {
  archive: Archive
  sink: Sink
  /** Names by id. */
  people: Map<string, string>
  /** Accounts of bots by bot id. */
  bots: Map<string, string>
  places: SlackPlace[]
  /** Days by folder, in order. */
  days: Map<string, string[]>
  /** `place ts` of first messages. */
  threads: Map<string, SlackThread>
  pinned: Set<string>
  /** Files in the archive by their id. */
  paths: Map<string, string>
}
