import { MessageIds } from './message-ids.ts'

/** The things with ids that are restored from rows. */
export const idTables = {
  user: 'users',
  group: 'user_groups',
  folder: 'channel_folders',
  channel: 'channels',
  topic: 'topics',
  emoji: 'realm_emoji',
  field: 'profile_fields',
  linkifier: 'linkifiers',
  playground: 'playgrounds',
  default_group: 'default_channel_groups',
  pin: 'channel_pins',
  snippet: 'saved_snippets',
  draft: 'drafts',
  scheduled: 'scheduled_messages',
  reminder: 'reminders',
  file: 'attachments',
  submessage: 'submessages',
} as const
export type IdKind = keyof typeof idTables

/** What the things of a file are called here. */
export class Ids {
  readonly messages = new MessageIds()
  readonly #maps = new Map<IdKind, Map<number, number>>()

  set(kind: IdKind, from: number, to: number): void {
    const map = this.#maps.get(kind)
    if (map) map.set(from, to)
    else this.#maps.set(kind, new Map([[from, to]]))
  }

  remove(kind: IdKind, from: number): void {
    this.#maps.get(kind)?.delete(from)
  }

  find(kind: IdKind, id: unknown): number | undefined {
    return typeof id === 'number' ? this.#maps.get(kind)?.get(id) : undefined
  }

  need(kind: IdKind, id: unknown): number {
    const found = this.find(kind, id)
    if (found === undefined) throw new Error(`its ${kind} ${String(id)} is not in the file`)
    return found
  }

  /** Those that exist. */
  list(kind: IdKind, ids: readonly unknown[]): number[] {
    return ids.flatMap((id) => this.find(kind, id) ?? [])
  }
}
