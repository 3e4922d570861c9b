import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import type { Counts, Sink } from '../source.ts'
import type { Row } from './row-values.ts'

/** The members of an export that an organization is restored from, without messages. */
export type SectionName =
  | 'realm'
  | 'permissions'
  | 'domains'
  | 'linkifiers'
  | 'playgrounds'
  | 'profile_fields'
  | 'users'
  | 'profile_values'
  | 'statuses'
  | 'bots'
  | 'groups'
  | 'folders'
  | 'channels'
  | 'channel_pins'
  | 'default_channels'
  | 'default_channel_groups'
  | 'subscriptions'
  | 'subscription_periods'
  | 'topics'
  | 'files'
  | 'emoji'
  | 'own_subscriptions'
  | 'own_topics'
  | 'own_conversations'
  | 'own_flags'
  | 'muted_users'
  | 'alert_words'
  | 'saved_snippets'
  | 'drafts'
  | 'scheduled_messages'
  | 'reminders'
  | 'bot_services'
  | 'bot_storage'

/** An image of a file, and whether it was made by a Parley: then its bytes are kept if they are what they should be. */
export interface StoredImage {
  path: string
  isOurs: boolean
}

/** A file that was read once and checked. */
export interface OpenRows {
  /** The names of what the source called by the id of its organization: paths of files. */
  realmId: number
  /** Whether ids can be kept where no other organization exists. */
  mayKeepIds: boolean
  /** Whether roles come along even if nobody asked for that, and accounts need not be claimed. */
  isOurs: boolean
  /** Whether links to this host are links to the organization. */
  isOwnHost(host: string): boolean
  rows(section: SectionName): AsyncIterable<Row>
  /** Oldest first. `flags` of people stand in `own_flags` rows, or here. */
  messages(): AsyncIterable<Row>
  /** Paths in the archive. */
  upload(pathId: string): string
  avatar(user: Row): StoredImage | undefined
  emoji(row: Row): StoredImage | undefined
  image(kind: 'icon' | 'logo' | 'night_logo'): Promise<StoredImage | undefined>
}

/** An adapter for exports that are made of the rows of a whole organization. */
export interface RowSource {
  main: string
  /** Reads the whole file once: counts, finds the ids of all messages, and throws a `BadArchive` for what it cannot be. */
  open(archive: Archive, sink: RowSink): Promise<OpenRows>
  lost(counts: Counts): string[]
}

export interface RowSink extends Pick<Sink, 'problem' | 'count' | 'organization'> {
  /** A message, in any order. `place`: where it is. */
  message(id: number): void
}
