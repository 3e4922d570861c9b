import type { QueueEvent } from '@parley/api/events'
import type { Slice, State } from './state.ts'
import { topicKey } from './topics.ts'

type TypingEvent = Extract<QueueEvent, { type: 'typing' }>

const usualExpiry = 45_000

/** Which users are typing in which conversation. Entries expire; `register` responses do not contain them. */
export class Typing implements Slice {
  readonly events = ['typing', 'message', 'realm_user'] as const
  readonly fields = []
  readonly #expiry: number
  readonly #now: () => number
  /** When each entry expires, by conversation and user. */
  readonly #until = new Map<string, Map<number, number>>()

  constructor({ server_typing_started_expiry_period_milliseconds: expiry }: State, now: () => number = Date.now) {
    this.#expiry = typeof expiry === 'number' ? expiry : usualExpiry
    this.#now = now
  }

  apply(event: QueueEvent): void {
    if (event.type === 'message') this.#set(typingKey(event.message), event.message.sender_id, false)
    if (event.type === 'typing') this.#set(keyOf(event), event.sender.user_id, event.op === 'start')
  }

  #set(key: string, user: number, isTyping: boolean): void {
    const typists = this.#until.get(key) ?? new Map<number, number>()
    if (isTyping) typists.set(user, this.#now() + this.#expiry)
    else typists.delete(user)
    if (typists.size > 0) this.#until.set(key, typists)
    else this.#until.delete(key)
  }

  snapshot(): State {
    return {}
  }

  inTopic(streamId: number, topic: string): number[] {
    return this.#typists(topicKey(streamId, topic))
  }

  /** In the direct conversation of these users, including the viewer. */
  among(userIds: number[]): number[] {
    return this.#typists(directKey(userIds))
  }

  #typists(key: string): number[] {
    const now = this.#now()
    return [...(this.#until.get(key) ?? [])].filter(([, until]) => until > now).map(([id]) => id)
  }
}

function keyOf(event: TypingEvent): string {
  if (event.message_type === 'stream') return topicKey(event.stream_id, event.topic)
  return directKey(event.recipients.map(({ user_id }) => user_id))
}

/** Where a message stands, which is no longer being typed. */
function typingKey({
  type,
  stream_id,
  subject,
  display_recipient,
}: Extract<QueueEvent, { type: 'message' }>['message']) {
  if (type === 'stream') return topicKey(stream_id!, subject)
  return directKey((display_recipient as { id: number }[]).map(({ id }) => id))
}

function directKey(userIds: number[]): string {
  return [...userIds].sort((a, b) => a - b).join()
}
