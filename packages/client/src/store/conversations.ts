import type { QueueEvent } from '@parley/api/events'
import type { ConversationState, Slice, State } from './state.ts'

type NewMessage = Extract<QueueEvent, { type: 'message' }>['message']

/** The participants of a direct message without the viewer, sorted by id. */
export function othersIn(message: NewMessage, viewer: number): number[] {
  if (typeof message.display_recipient === 'string') return []
  return message.display_recipient
    .map(({ id }) => id)
    .filter((id) => id !== viewer)
    .sort((a, b) => a - b)
}

/** The newest message, and the newest of each direct conversation. */
export class Conversations implements Slice {
  readonly events = ['message', 'reaction', 'update_message_flags', 'delete_message', 'update_message'] as const
  readonly fields = ['recent_private_conversations', 'max_message_id'] as const
  newest: number
  /** By the ids of the other participants, joined by commas. */
  readonly direct = new Map<string, { user_ids: number[]; max_message_id: number }>()
  readonly #viewer: number

  constructor({ recent_private_conversations = [], max_message_id = -1, user_id = -1 }: State) {
    this.newest = max_message_id
    this.#viewer = user_id
    for (const conversation of recent_private_conversations) this.direct.set(conversation.user_ids.join(), conversation)
  }

  apply(event: QueueEvent): void {
    if (event.type === 'message') this.#applyMessage(event.message)
    // With a first flag or reaction, the viewer receives a message of a channel without a subscription.
    if (event.type === 'update_message_flags') this.newest = Math.max(this.newest, ...event.messages)
    if (event.type === 'reaction' && event.user_id === this.#viewer)
      this.newest = Math.max(this.newest, event.message_id)
  }

  #applyMessage(message: NewMessage): void {
    this.newest = Math.max(this.newest, message.id)
    if (message.type !== 'private') return
    const user_ids = othersIn(message, this.#viewer)
    // A message that was restored may be older than others.
    const newest = Math.max(message.id, this.direct.get(user_ids.join())?.max_message_id ?? 0)
    this.direct.set(user_ids.join(), { user_ids, max_message_id: newest })
  }

  snapshot(): ConversationState {
    const conversations = [...this.direct.values()].sort((a, b) => b.max_message_id - a.max_message_id)
    return { recent_private_conversations: conversations, max_message_id: this.newest }
  }
}
