import type { QueueEvent } from '@parley/api/events'
import type { Caller } from './calls.ts'
import type { Changes } from './changes.ts'
import { ConnectionError, ParleyError } from './errors.ts'
import type { MessageCache, ShownMessage } from './messages/cache.ts'
import type { MessageWindow } from './messages/window.ts'
import type { Store } from './store.ts'

/** Where a message goes. */
export type Destination = { stream_id: number; topic: string } | { user_ids: number[] }

/** What sending needs of a session. */
interface Sender {
  readonly client: Caller
  readonly changes: Changes
  readonly messages: MessageCache
  readonly windows: Iterable<MessageWindow>
  readonly store: Store | undefined
  readonly viewerId: number
  readonly queueId: string
}

interface Waiting {
  message: ShownMessage
  destination: Destination
  source: string
  /** The queue with which it was sent first. The server recognizes a repeated send only together with it. */
  queueId?: string
}

/** Sends messages and shows them at once. What could not be sent stays visible until the user decides. */
export class Outbox {
  readonly #session: Sender
  #count = 0
  readonly #waiting = new Map<string, Waiting>()

  constructor(session: Sender) {
    this.#session = session
  }

  /** How many messages wait for the server. */
  get size(): number {
    return [...this.#waiting.values()].filter(({ message }) => message.failure === undefined).length
  }

  /** Shows the message immediately, as `html`, and sends it. */
  send(destination: Destination, source: string, html: string): void {
    const local_id = `${Date.now()}.${++this.#count}`
    const message = this.#echo(destination, html, local_id)
    this.#waiting.set(local_id, { message, destination, source })
    this.#show(message)
    void this.#deliver(local_id)
  }

  retry(localId: string): void {
    const waiting = this.#waiting.get(localId)
    if (!waiting) return
    delete waiting.queueId
    this.#replace(waiting.message, { failure: undefined })
    void this.#deliver(localId)
  }

  discard(localId: string): void {
    const waiting = this.#waiting.get(localId)
    if (waiting) this.#remove(localId, waiting.message)
    this.#session.changes.changed()
  }

  /** Sends what waited for a connection. A repeated send within one queue is recognized by its local id. */
  resume(): void {
    for (const [localId, { message }] of this.#waiting) {
      this.#show(message)
      if (message.failure === undefined) void this.#deliver(localId)
    }
  }

  /** The server's message takes the place of the local one. */
  arrived(event: Extract<QueueEvent, { type: 'message' }>): void {
    const waiting = event.local_message_id === undefined ? undefined : this.#waiting.get(event.local_message_id)
    if (waiting) this.#remove(event.local_message_id!, waiting.message)
  }

  async #deliver(localId: string): Promise<void> {
    const waiting = this.#waiting.get(localId)
    if (!waiting) return
    const { client, queueId } = this.#session
    waiting.queueId ??= queueId
    if (waiting.queueId !== queueId)
      return this.#replace(waiting.message, {
        failure: 'The connection was lost. Look whether it arrived before you send it again.',
      })
    try {
      await client.call('sendMessage', {
        ...addressed(waiting.destination),
        ...{ content: waiting.source, queue_id: queueId, local_id: localId, read_by_sender: true },
      })
    } catch (error) {
      this.#failed(localId, error)
    }
  }

  #failed(localId: string, error: unknown): void {
    const waiting = this.#waiting.get(localId)
    if (!waiting) return
    if (error instanceof ConnectionError) setTimeout(() => void this.#deliver(localId), 3000)
    else this.#replace(waiting.message, { failure: error instanceof ParleyError ? error.message : String(error) })
  }

  #replace(message: ShownMessage, change: Partial<ShownMessage>): void {
    Object.assign(message, change)
    this.#session.messages.byId.set(message.id, { ...message })
    this.#session.changes.changed()
  }

  #show(message: ShownMessage): void {
    this.#session.messages.add([message])
    for (const window of this.#session.windows) window.append(message)
    this.#session.changes.changed()
  }

  #remove(localId: string, message: ShownMessage): void {
    this.#waiting.delete(localId)
    this.#session.messages.byId.delete(message.id)
    for (const window of this.#session.windows) window.remove([message.id])
  }

  /** Sorts after the newest message and before the next. */
  #echo(destination: Destination, content: string, local_id: string): ShownMessage {
    const { store, viewerId } = this.#session
    const newest = Math.max(store!.conversations.newest, 0)
    const own = store!.users.byId.get(viewerId)!
    const channel = 'stream_id' in destination ? store!.channels.subscribed.get(destination.stream_id) : undefined
    const people = 'user_ids' in destination ? [...new Set([...destination.user_ids, viewerId])] : []
    return {
      ...{ id: newest + this.#count / 10_000, local_id, content, sender_id: viewerId, flags: ['read'] },
      ...{ sender_full_name: own.full_name, sender_email: own.email, avatar_url: own.avatar_url ?? null },
      ...{ timestamp: Date.now() / 1000, reactions: [], submessages: [], topic_links: [], client: 'Parley' },
      ...('stream_id' in destination
        ? {
            type: 'stream',
            stream_id: destination.stream_id,
            subject: destination.topic,
            display_recipient: channel?.name ?? '',
          }
        : {
            type: 'private',
            subject: '',
            display_recipient: people.map((id) => ({
              id,
              full_name: store!.users.byId.get(id)?.full_name ?? '',
              email: '',
            })),
          }),
    } as unknown as ShownMessage
  }
}

function addressed(destination: Destination) {
  return 'stream_id' in destination
    ? { type: 'stream' as const, to: destination.stream_id, topic: destination.topic }
    : { type: 'direct' as const, to: destination.user_ids }
}
