import type { Conversation } from '@parley/api/conversations/conversations'
import type { QueueEvent } from '@parley/api/events'
import type { Store } from '../store/store.ts'
import { topicKey } from '../store/topics.ts'
import type { Caller } from '../wire/calls.ts'
import { asError } from '../wire/errors.ts'
import { othersOf } from './narrow.ts'

export type ConversationFilter = 'all' | 'unread' | 'participated' | 'followed'
type LastMessage = Conversation['last_message']

/** A conversation of the list. Unread counts and policies are read from the store, which is always up to date. */
export interface ListedConversation {
  key: string
  last: LastMessage
  participants: number[]
  /** As the server counted, for users with so many unread messages that the store does not have all. */
  unreadCount: number
}

export interface ConversationListDeps {
  readonly client: Caller
  readonly changes: { changed(): void }
  readonly store: Store | undefined
  readonly viewerId: number
}

const pageSize = 50
const mostPerPage = 100
const mostParticipants = 5

/** The key of a message's conversation. */
export function conversationKey(
  message: Pick<LastMessage, 'type' | 'stream_id' | 'subject' | 'display_recipient'>,
  viewer: number,
): string {
  return message.type === 'stream'
    ? topicKey(message.stream_id!, message.subject)
    : `dm ${othersOf(message, viewer).join()}`
}

/** The conversations that pass a filter, the one with the newest message first. Loaded page by page, kept up to date by events. */
export class ConversationList {
  readonly filter: ConversationFilter
  /** Replaced, never changed, so that readers can compare. */
  entries: readonly ListedConversation[] = []
  isLoaded = false
  isComplete = false
  error: Error | undefined
  readonly #channelId: number | undefined
  readonly #deps: ConversationListDeps
  #loading: Promise<void> | undefined
  #isStale = false

  /** With the topics of one channel only, which the viewer need not have joined. */
  constructor(filter: ConversationFilter, deps: ConversationListDeps, channelId?: number) {
    this.filter = filter
    this.#channelId = channelId
    this.#deps = deps
  }

  /** Loads again what is shown, in place of it. */
  reload(): Promise<void> {
    if (this.#loading) {
      this.#isStale = true
      return this.#loading
    }
    return this.#load(async () => {
      const wanted = Math.max(pageSize, this.entries.length)
      let found: ListedConversation[] = []
      do {
        const page = await this.#page(found.at(-1)?.last.id, Math.min(mostPerPage, wanted - found.length))
        found = [...found, ...page]
      } while (!this.isComplete && found.length < wanted)
      this.entries = found
      this.isLoaded = true
    })
  }

  loadMore(): Promise<void> {
    if (this.#loading || !this.isLoaded || this.isComplete) return this.#loading ?? Promise.resolve()
    return this.#load(async () => {
      const more = await this.#page(this.entries.at(-1)?.last.id, pageSize)
      const known = new Set(this.entries.map(({ key }) => key))
      this.entries = [...this.entries, ...more.filter(({ key }) => !known.has(key))]
    })
  }

  apply(event: QueueEvent): void {
    if (!this.isLoaded) return
    // A message that was restored is not the newest.
    const isOlder = event.type === 'message' && event.message.id < (this.entries[0]?.last.id ?? 0)
    if (event.type === 'message' && !isOlder) this.#applyMessage(event)
    if (event.type === 'update_message') this.#applyUpdate(event)
    if (isOlder || event.type === 'delete_message' || event.type === 'subscription' || isOfFilter(this.filter, event))
      void this.reload()
  }

  #load(work: () => Promise<void>): Promise<void> {
    this.#loading = this.#attempt(work).finally(() => {
      this.#loading = undefined
      if (!this.#isStale) return
      this.#isStale = false
      void this.reload()
    })
    return this.#loading
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.error = undefined
    } catch (error) {
      this.error = asError(error)
    }
    this.#deps.changes.changed()
  }

  async #page(before: number | undefined, limit: number): Promise<ListedConversation[]> {
    const { client, viewerId } = this.#deps
    const { conversations, found_oldest } = await client.call('getConversations', {
      filter: this.filter,
      limit,
      allow_empty_topic_name: true,
      ...(before !== undefined && { before }),
      ...(this.#channelId !== undefined && { stream_id: this.#channelId, include_unsubscribed: true }),
    })
    this.isComplete = found_oldest
    return conversations.map(({ last_message, participants, unread_count }) => ({
      key: conversationKey(last_message, viewerId),
      last: last_message,
      participants,
      unreadCount: unread_count,
    }))
  }

  #applyMessage({ message, flags }: Extract<QueueEvent, { type: 'message' }>): void {
    const last = { ...message, flags }
    const key = conversationKey(last, this.#deps.viewerId)
    const known = this.entries.find((entry) => entry.key === key)
    if (!known && !this.#belongs(last, flags)) return
    const participants = [message.sender_id, ...(known?.participants ?? []).filter((id) => id !== message.sender_id)]
    const entry = {
      key,
      last,
      participants: participants.slice(0, mostParticipants),
      unreadCount: (known?.unreadCount ?? 0) + Number(!flags.includes('read')),
    }
    this.entries = [entry, ...this.entries.filter((one) => one !== known)]
  }

  /** Whether a conversation that is not in the list enters it with this message. */
  #belongs(message: LastMessage, flags: readonly string[]): boolean {
    const { store, viewerId } = this.#deps
    const isTopic = message.type === 'stream'
    if (this.#channelId !== undefined) return message.stream_id === this.#channelId
    if (isTopic && !store!.channels.subscribed.has(message.stream_id!)) return false
    if (this.filter === 'unread')
      return !flags.includes('read') && !(isTopic && store!.topics.isMuted(message.stream_id!, message.subject))
    if (this.filter === 'followed') return isTopic && store!.topics.policyOf(message.stream_id!, message.subject) === 3
    // A topic in which the viewer wrote earlier may be further down than the pages loaded so far.
    if (this.filter === 'participated' && isTopic && message.sender_id !== viewerId) {
      if (!this.isComplete) void this.reload()
      return false
    }
    return true
  }

  /** Moved messages change two conversations; an edit changes the text of the last message. */
  #applyUpdate(event: Extract<QueueEvent, { type: 'update_message' }>): void {
    if (event.subject !== undefined || event.new_stream_id !== undefined) return void this.reload()
    const { message_id, rendered_content } = event
    if (rendered_content === undefined) return
    this.entries = this.entries.map((entry) =>
      entry.last.id === message_id ? { ...entry, last: { ...entry.last, content: rendered_content } } : entry,
    )
  }
}

/** Whether the event can change which conversations pass the filter. */
function isOfFilter(filter: ConversationFilter, event: QueueEvent): boolean {
  if (filter === 'followed') return event.type === 'user_topic'
  // Conversations that were read stay until the list is opened again, so that rows do not move away while reading.
  return filter === 'unread' && event.type === 'update_message_flags' && event.op === 'remove' && event.flag === 'read'
}
