import type { UnreadMessages } from '@parley/api/delivery/register'
import type { QueueEvent } from '@parley/api/events'
import type { Channels } from './channels.ts'
import { othersIn } from './conversations.ts'
import { deletedIds, type Slice, type State, type UnreadState } from './state.ts'
import { type Topics, topicKey } from './topics.ts'

/** The conversation of an unread message: a topic, or the ids of the other participants. */
export type ConversationRef = { stream_id: number; topic: string } | { user_ids: number[] }

type Event<Type extends QueueEvent['type']> = Extract<QueueEvent, { type: Type }>
type Detail = NonNullable<Extract<Event<'update_message_flags'>, { op: 'remove' }>['message_details']>[string]

const wildcards = ['stream_wildcard_mentioned', 'topic_wildcard_mentioned'] as const

/** The unread messages of one conversation. */
export interface UnreadPlace {
  place: ConversationRef
  ids: Set<number>
}

/** The unread messages by id, and which of them mention the viewer. */
export class Unread implements Slice {
  readonly events = [
    'delete_message',
    'message',
    'muted_topics',
    'realm_user',
    'stream',
    'subscription',
    'update_message',
    'update_message_flags',
    'user_topic',
  ] as const
  readonly fields = ['unread_msgs'] as const
  readonly places: ReadonlyMap<number, ConversationRef>
  /** The same by conversation, so that counting does not take longer the more messages there are. */
  readonly conversations = new Map<string, UnreadPlace>()
  readonly mentions = new Set<number>()
  /** The message that the latest event made a mention: it was edited. */
  mentionedByEdit: number | undefined
  /** Whether the server left out the oldest, because there were too many. */
  readonly isIncomplete: boolean
  readonly #places = new Map<number, ConversationRef>()
  readonly #viewer: number
  readonly #channels: Channels
  readonly #topics: Topics

  constructor({ unread_msgs, user_id = -1 }: State, channels: Channels, topics: Topics) {
    this.places = this.#places
    this.#viewer = user_id
    this.#channels = channels
    this.#topics = topics
    this.isIncomplete = unread_msgs?.old_unreads_missing ?? false
    if (unread_msgs) this.#read(unread_msgs)
  }

  /** The number to display: unread messages in muted topics do not count. */
  get count(): number {
    let count = 0
    for (const { place, ids } of this.conversations.values()) if (!this.#isMuted(place)) count += ids.size
    return count
  }

  apply(event: QueueEvent): void {
    this.mentionedByEdit = undefined
    switch (event.type) {
      case 'message':
        this.#applyMessage(event)
        break
      case 'update_message':
        this.#applyUpdate(event)
        break
      case 'delete_message':
        this.#forget(deletedIds(event))
        break
      case 'update_message_flags':
        this.#applyFlags(event)
        break
      case 'subscription':
        if (event.op === 'remove') this.#forgetChannels(event.subscriptions.map(({ stream_id }) => stream_id))
    }
  }

  snapshot(): UnreadState {
    return {
      unread_msgs: {
        count: this.count,
        ...summary(this.places, this.#viewer),
        mentions: [...this.mentions].sort((a, b) => a - b),
        old_unreads_missing: this.isIncomplete,
      },
    }
  }

  #read({ pms, streams, huddles, mentions }: UnreadMessages): void {
    for (const { other_user_id, unread_message_ids } of pms) this.#addAll(unread_message_ids, [other_user_id])
    for (const { user_ids_string, unread_message_ids } of huddles)
      this.#addAll(unread_message_ids, user_ids_string.split(',').map(Number))
    for (const { unread_message_ids, ...topic } of streams) for (const id of unread_message_ids) this.#put(id, topic)
    for (const id of mentions) this.mentions.add(id)
  }

  #addAll(ids: number[], people: number[]): void {
    const user_ids = people.filter((id) => id !== this.#viewer)
    for (const id of ids) this.#put(id, { user_ids })
  }

  #applyMessage({ message, flags }: Event<'message'>): void {
    const { id, stream_id, subject } = message
    const place =
      stream_id === undefined ? { user_ids: othersIn(message, this.#viewer) } : { stream_id, topic: subject }
    if (flags.includes('read') || !this.#isReceived(place)) return
    this.#put(id, place)
    this.#setMention(id, place, flags)
  }

  #applyUpdate(event: Event<'update_message'>): void {
    if (event.orig_subject !== undefined) this.#move(event)
    const { message_id: id, flags } = event
    const place = this.places.get(id)
    if (!place) return
    const wasMention = this.mentions.has(id)
    this.#setMention(id, place, flags)
    if (!wasMention && this.mentions.has(id)) this.mentionedByEdit = id
  }

  /** Each message keeps its spelling of the topic if only the channel changes. */
  #move({ message_ids, stream_id, new_stream_id, subject, orig_subject }: Event<'update_message'>): void {
    const place = { stream_id: new_stream_id ?? stream_id!, topic: subject ?? orig_subject! }
    const unread = message_ids.filter((id) => this.places.has(id))
    if (!this.#isReceived(place)) this.#forget(unread)
    else for (const id of unread) this.#put(id, { ...place, ...(subject === undefined && this.#topicOf(id)) })
  }

  #topicOf(id: number): { topic: string } | undefined {
    const place = this.#places.get(id)
    return place && 'topic' in place ? { topic: place.topic } : undefined
  }

  #setMention(id: number, place: ConversationRef, flags: Event<'message'>['flags']): void {
    const isCalled = wildcards.some((flag) => flags.includes(flag)) && !this.#isMuted(place)
    if (flags.includes('mentioned') || isCalled) this.mentions.add(id)
    else this.mentions.delete(id)
  }

  /** A queue may include channels to which the viewer is not subscribed. Nothing there is unread. */
  #isReceived(place: ConversationRef): boolean {
    return !('stream_id' in place) || this.#channels.subscribed.has(place.stream_id)
  }

  #isMuted(place: ConversationRef): boolean {
    return 'stream_id' in place && this.#topics.isMuted(place.stream_id, place.topic)
  }

  #applyFlags(event: Event<'update_message_flags'>): void {
    if (event.flag !== 'read') return
    if (event.op === 'add') this.#forget(event.all ? [...this.places.keys()] : event.messages)
    else for (const [id, detail] of Object.entries(event.message_details ?? {})) this.#restore(Number(id), detail)
  }

  #restore(id: number, detail: Detail): void {
    this.#put(
      id,
      detail.type === 'stream'
        ? { stream_id: detail.stream_id, topic: detail.topic }
        : { user_ids: detail.user_ids.filter((user) => user !== this.#viewer) },
    )
    if (detail.mentioned) this.mentions.add(id)
  }

  #forgetChannels(ids: number[]): void {
    const isThere = ([, place]: [number, ConversationRef]) => 'stream_id' in place && ids.includes(place.stream_id)
    this.#forget([...this.places].filter(isThere).map(([id]) => id))
  }

  #put(id: number, place: ConversationRef): void {
    this.#drop(id)
    this.#places.set(id, place)
    const key = placeKey(place)
    const known = this.conversations.get(key)
    if (known) known.ids.add(id)
    else this.conversations.set(key, { place, ids: new Set([id]) })
  }

  #drop(id: number): void {
    const place = this.#places.get(id)
    if (!place) return
    this.#places.delete(id)
    const key = placeKey(place)
    const { ids } = this.conversations.get(key)!
    ids.delete(id)
    if (ids.size === 0) this.conversations.delete(key)
  }

  #forget(ids: number[]): void {
    for (const id of ids) {
      this.#drop(id)
      this.mentions.delete(id)
    }
  }
}

/** The same text for messages of the same conversation. */
export function placeKey(place: ConversationRef): string {
  return 'stream_id' in place ? topicKey(place.stream_id, place.topic) : `dm ${place.user_ids.join()}`
}

/** The unread messages by conversation, in the order of the `register` response. */
function summary(
  places: ReadonlyMap<number, ConversationRef>,
  viewer: number,
): Pick<UnreadMessages, 'pms' | 'streams' | 'huddles'> {
  const groups = Map.groupBy(
    [...places].sort(([a], [b]) => a - b),
    ([, place]) => conversationKey(place, viewer),
  )
  const result: Pick<UnreadMessages, 'pms' | 'streams' | 'huddles'> = { pms: [], streams: [], huddles: [] }
  for (const [, entries] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const place = entries[0]![1]
    const unread_message_ids = entries.map(([id]) => id)
    if ('stream_id' in place) result.streams.push({ ...place, unread_message_ids })
    else if (place.user_ids.length > 1) result.huddles.push(huddle(place.user_ids, viewer, unread_message_ids))
    else result.pms.push(pair(place.user_ids[0] ?? viewer, unread_message_ids))
  }
  return result
}

/** One group per conversation, sorted by id and topic. */
function conversationKey(place: ConversationRef, viewer: number): string {
  if ('stream_id' in place) return `${sortable(place.stream_id)} ${place.topic.toLowerCase()}`
  return place.user_ids.length > 0 ? place.user_ids.map(sortable).join() : sortable(viewer)
}

function sortable(id: number): string {
  return String(id).padStart(16)
}

function pair(other: number, unread_message_ids: number[]): UnreadMessages['pms'][number] {
  return { other_user_id: other, sender_id: other, unread_message_ids }
}

function huddle(others: number[], viewer: number, unread_message_ids: number[]): UnreadMessages['huddles'][number] {
  const user_ids_string = [...others, viewer].sort((a, b) => a - b).join()
  return { user_ids_string, unread_message_ids }
}
