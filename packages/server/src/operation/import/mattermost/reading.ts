import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import { requiredText } from '../fields.ts'
import type { Sink } from '../source.ts'

/** What is known while an export is read. Lines come in an order in which things stand before what refers to them. */
export interface Reading {
  archive: Archive
  sink: Sink
  /** The line that is being read. */
  line: number
  /** Display names by name. */
  teams: Map<string, string>
  bots: Set<string>
  /** Ids stand only in the paths of files. */
  userOfId: Map<string, string>
  /** Direct and group conversations with posts. */
  conversations: Set<string>
}

export function channelKey(team: unknown, channel: unknown): string {
  return `${requiredText(team, 'the team')}/${requiredText(channel, 'the channel')}`
}

/** Paths are relative to `data/`, and those of emoji to the folder. */
export async function locate(archive: Archive, path: string): Promise<string> {
  return (await archive.find(path)) ? path : `data/${path}`
}
