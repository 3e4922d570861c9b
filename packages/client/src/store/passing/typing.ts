import type { QueueEvent } from '@parley/api/events'
import type { Slice, State } from '../state.ts'
import { topicKey } from '../topics.ts'

type TypingEvent = Extract<QueueEvent, { type: 'typing' }>

const usualExpiry = 45_000

/** A user who types, or a bot that works on something. */
export interface Typist {
  id: number
  isWorking: boolean
  note: string
}

interface Entry {
  until: number
  isWorking: boolean
  note: string
}

/** Which users are typing in which conversation. Entries expire; `register` responses do not contain them. */
export class Typing implements Slice {
  readonly events = ['typing', 'message', 'realm_user'] as const
  readonly fields = []
  readonly #expiry: number
  readonly #now: () => number
  /** By conversation and user. */
  readonly #entries = new Map<string, Map<number, Entry>>()

  constructor({ server_typing_started_expiry_period_milliseconds: expiry }: State, now: () => number = Date.now) {
    this.#expiry = typeof expiry === 'number' ? expiry : usualExpiry
    this.#now = now
  }

  apply(event: QueueEvent): void {
    if (event.type === 'message') this.#set(typingKey(event.message), event.message.sender_id, undefined)
    if (event.type === 'typing') this.#set(keyOf(event), event.sender.user_id, this.#entryOf(event))
  }

  #entryOf({ op, activity, note = '' }: TypingEvent): Entry | undefined {
    return op === 'start' ? { until: this.#now() + this.#expiry, isWorking: activity === 'working', note } : undefined
  }

  #set(key: string, user: number, entry: Entry | undefined): void {
    const typists = this.#entries.get(key) ?? new Map<number, Entry>()
    if (entry) typists.set(user, entry)
    else typists.delete(user)
    if (typists.size > 0) this.#entries.set(key, typists)
    else this.#entries.delete(key)
  }

  snapshot(): State {
    return {}
  }

  inTopic(streamId: number, topic: string): Typist[] {
    return this.#typists(topicKey(streamId, topic))
  }

  /** In the direct conversation of these users, including the viewer. */
  among(userIds: number[]): Typist[] {
    return this.#typists(directKey(userIds))
  }

  #typists(key: string): Typist[] {
    const now = this.#now()
    return [...(this.#entries.get(key) ?? [])]
      .filter(([, { until }]) => until > now)
      .map(([id, { isWorking, note }]) => ({ id, isWorking, note }))
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
