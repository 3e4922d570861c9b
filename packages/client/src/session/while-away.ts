import type { QueueEvent } from '@parley/api/events'
import { peopleOf } from '../messages/narrow.ts'
import type { Store } from '../store/store.ts'
import { topicKey } from '../store/topics.ts'
import type { ConversationRef } from '../store/unread.ts'

type TopicPlace = Extract<ConversationRef, { topic: string }>

/** Something that happened before the client was up to date. */
export type AwayItem =
  | { kind: 'moved' | 'resolved' | 'unresolved'; from: TopicPlace; to: TopicPlace; by: number | null }
  | { kind: 'channel renamed'; stream_id: number; name: string }
  | { kind: 'question'; message_id: number; by: number; to: ConversationRef }

type UpdateEvent = Extract<QueueEvent, { type: 'update_message' }>
type MessageEvent = Extract<QueueEvent, { type: 'message' }>

/** Topics that others renamed, moved or resolved, renamed channels, and questions to the viewer, in order. */
export class WhileAway {
  #items = new Map<string, AwayItem>()

  get items(): AwayItem[] {
    return [...this.#items.values()]
  }

  clear(): void {
    this.#items.clear()
  }

  /** Takes an event that was just applied to the store. */
  observe(event: QueueEvent, store: Store, viewerId: number): void {
    if (event.type === 'update_message' && event.user_id !== viewerId) this.#takeMove(event, store)
    if (event.type === 'message' && event.message.sender_id !== viewerId) this.#takeMessage(event, viewerId)
    if (event.type !== 'stream' || event.op !== 'update' || event.property !== 'name') return
    const { stream_id, name } = event
    if (store.channels.subscribed.has(stream_id) && !this.#items.has(`channel ${stream_id}`))
      this.#items.set(`channel ${stream_id}`, { kind: 'channel renamed', stream_id, name })
  }

  /** A topic that moved twice is listed once, from where the viewer knows it. */
  #takeMove({ stream_id, orig_subject, propagate_mode, user_id: by, ...event }: UpdateEvent, store: Store): void {
    if (stream_id === undefined || orig_subject === undefined || propagate_mode !== 'change_all') return
    const before = { stream_id, topic: orig_subject }
    const to = { stream_id: event.new_stream_id ?? stream_id, topic: event.subject ?? orig_subject }
    if (!store.channels.subscribed.has(to.stream_id) || store.topics.isMuted(to.stream_id, to.topic)) return
    const earlier = this.#items.get(keyOf(before))
    this.#items.delete(keyOf(before))
    const from = earlier && 'from' in earlier ? earlier.from : before
    const kind = kindOf(from, to)
    if (kind) this.#items.set(keyOf(to), { kind, from, to, by })
  }

  #takeMessage({ message, flags }: MessageEvent, viewerId: number): void {
    const isToViewer = message.type === 'private' || flags.includes('mentioned')
    if (!isToViewer || !/\?(?=[\s<]|$)/.test(message.content)) return
    const { id: message_id, sender_id: by } = message
    const to = conversationOf(message, viewerId)
    this.#items.set(`question ${JSON.stringify(to)}`, { kind: 'question', message_id, by, to })
  }
}

function keyOf({ stream_id, topic }: TopicPlace): string {
  return `topic ${topicKey(stream_id, topic)}`
}

const resolvedPrefix = '✔ '

/** Undefined if everything is as before. */
function kindOf(from: TopicPlace, to: TopicPlace) {
  if (from.stream_id !== to.stream_id) return 'moved'
  if (to.topic === resolvedPrefix + from.topic) return 'resolved'
  if (from.topic === resolvedPrefix + to.topic) return 'unresolved'
  return from.topic === to.topic ? undefined : 'moved'
}

function conversationOf(message: MessageEvent['message'], viewerId: number): ConversationRef {
  if (message.type === 'stream') return { stream_id: message.stream_id!, topic: message.subject }
  return { user_ids: peopleOf(message).filter((id) => id !== viewerId) }
}
