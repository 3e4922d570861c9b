import type { QueueEvent } from '@parley/api/events'
import type { MessageCache, ShownMessage } from '../messages/cache.ts'
import type { MessageWindow } from '../messages/window.ts'
import type { Store } from '../store/store.ts'
import type { CallParams } from '../wire/calls.ts'
import { asError } from '../wire/errors.ts'
import type { Changes } from './changes.ts'
import { type Deliveries, type Delivery, newKey } from './deliveries.ts'
import { WaitingElsewhere, type WaitingNews } from './elsewhere.ts'

/** How a message notifies, if not as usual. */
export type Notifying = { silent: true } | { notify_anyway: true }

/** Where a message goes. */
export type Destination = { stream_id: number; topic: string } | { user_ids: number[] }

/** What sending needs of a session. */
export interface Sender {
  readonly deliveries: Deliveries
  readonly changes: Changes
  readonly messages: MessageCache
  readonly windows: Iterable<MessageWindow>
  readonly store: Store | undefined
  readonly viewerId: number
  readonly queueId: string
  /** Says what waits here, or was decided here, to the other tabs. */
  tellTabs?(news: { messages: ShownMessage[] } | Extract<WaitingNews, { type: 'decided' }>): void
}

interface Waiting {
  delivery: SendDelivery
  message: ShownMessage
  /** The server has it; its event will take the place of the local message. */
  isSent?: true
}

export type SendDelivery = Delivery<'sendMessage', CallParams<'sendMessage'>>

/** Sends messages and shows them at once. What was refused stays visible until the user decides. */
export class Outbox {
  readonly #session: Sender
  #count = 0
  readonly #waiting = new Map<string, Waiting>()
  readonly #listeners = new Set<(message: ShownMessage) => void>()
  readonly #elsewhere = new WaitingElsewhere({
    show: (message) => this.#show(message),
    hide: (message) => this.#hide(message),
    nextId: () => this.#nextId(),
  })

  constructor(session: Sender) {
    this.#session = session
  }

  /** What is shown and not yet replaced by the server's messages. */
  get messages(): ShownMessage[] {
    return [...this.#own, ...this.#elsewhere.messages]
  }

  get #own(): ShownMessage[] {
    return [...this.#waiting.values()].map(({ message }) => message)
  }

  /** How many messages wait for the server. */
  get size(): number {
    return this.messages.filter(({ failure }) => failure === undefined).length
  }

  /** Calls the listener with every message that is sent here, before it is shown. */
  onSend(listener: (message: ShownMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Shows the message immediately, as `html`, and sends it. */
  send(destination: Destination, content: string, html: string, notifying?: Notifying): void {
    const local_id = newKey()
    const message = this.#echo(destination, html, local_id)
    const params = {
      ...addressed(destination),
      content,
      queue_id: this.#session.queueId,
      local_id,
      read_by_sender: true,
      ...notifying,
    }
    const delivery: SendDelivery = { key: newKey(), name: 'sendMessage', params, at: Date.now(), message }
    for (const listener of [...this.#listeners]) listener(message)
    this.#begin({ delivery, message })
  }

  /** Shows and sends a message of an earlier start, or one that was discarded. One that was refused waits for the user. */
  restore(delivery: SendDelivery): void {
    const message = { ...delivery.message!, id: this.#nextId(), failure: delivery.failure! }
    this.#begin({ delivery, message })
  }

  /** Another tab says what it is sending, or what the user decided there. */
  hear(news: WaitingNews): void {
    if (news.type === 'waiting') this.#elsewhere.hear(news)
    else this[news.decision](news.local_id)
    this.#session.changes.changed()
  }

  /** For a tab that has just been opened. */
  tell(): void {
    this.#session.tellTabs?.({ messages: this.#own })
  }

  #begin(waiting: Waiting): void {
    this.#elsewhere.forget(waiting.message.local_id!)
    this.#waiting.set(waiting.message.local_id!, waiting)
    this.#show(waiting.message)
    this.tell()
    if (waiting.message.failure === undefined) void this.#deliver(waiting)
    else this.#session.deliveries.keep(waiting.delivery)
  }

  /** Sends a refused message again, as a new request. */
  retry(localId: string): void {
    const waiting = this.#waiting.get(localId)
    if (!waiting) {
      this.#decideElsewhere(localId, 'retry')
      return
    }
    this.#session.deliveries.forget(waiting.delivery.key)
    const { failure: _, ...delivery } = waiting.delivery
    waiting.delivery = { ...delivery, key: newKey(), at: Date.now() }
    this.#replace(waiting.message, { failure: undefined })
    void this.#deliver(waiting)
  }

  /** Returns what was discarded, for `restore`. */
  discard(localId: string): SendDelivery | undefined {
    const waiting = this.#waiting.get(localId)
    if (!waiting) {
      this.#decideElsewhere(localId, 'discard')
      return undefined
    }
    this.#session.deliveries.forget(waiting.delivery.key)
    this.#remove(waiting.message)
    this.#session.changes.changed()
    return waiting.delivery
  }

  #decideElsewhere(local_id: string, decision: 'retry' | 'discard'): void {
    if (this.#elsewhere.has(local_id)) this.#session.tellTabs?.({ type: 'decided', local_id, decision })
  }

  /** Shows what is still waiting after the state was loaded again. */
  showAgain(): void {
    for (const [localId, { message, isSent }] of this.#waiting) {
      if (isSent) this.#waiting.delete(localId)
      else this.#show(message)
    }
    for (const message of this.#elsewhere.messages) this.#show(message)
  }

  /** The server's message takes the place of the local one. Returns what was typed, if it is one of ours. */
  arrived(event: Extract<QueueEvent, { type: 'message' }>): string | undefined {
    const waiting = event.local_message_id === undefined ? undefined : this.#waiting.get(event.local_message_id)
    if (waiting) this.#remove(waiting.message)
    else if (event.local_message_id !== undefined) this.#elsewhere.forget(event.local_message_id)
    return waiting?.delivery.params.content
  }

  async #deliver(waiting: Waiting): Promise<void> {
    const { delivery, message } = waiting
    const { deliveries } = this.#session
    try {
      const { id } = await deliveries.resume(delivery)
      waiting.isSent = true
      if (this.#isPast(delivery, id)) this.discard(message.local_id!)
    } catch (error) {
      if (!this.#waiting.has(message.local_id!)) return
      const failure = asError(error).message
      waiting.delivery = { ...delivery, failure }
      deliveries.keep(waiting.delivery)
      this.#replace(message, { failure })
    }
  }

  /** Whether no event will take the place of the message: it was in another queue, or came before. */
  #isPast({ params }: SendDelivery, id: number): boolean {
    const { queueId, store } = this.#session
    return params.queue_id !== queueId || store!.conversations.newest >= id
  }

  #replace(message: ShownMessage, change: Partial<ShownMessage>): void {
    Object.assign(message, change)
    this.#session.messages.byId.set(message.id, { ...message })
    this.tell()
    this.#session.changes.changed()
  }

  #show(message: ShownMessage): void {
    this.#session.messages.add([message])
    for (const window of this.#session.windows) window.append(message)
    this.#session.changes.changed()
  }

  #remove(message: ShownMessage): void {
    this.#waiting.delete(message.local_id!)
    this.#hide(message)
    this.tell()
  }

  #hide(message: ShownMessage): void {
    this.#session.messages.byId.delete(message.id)
    for (const window of this.#session.windows) window.remove([message.id])
  }

  /** Sorts after the newest message and before the next. */
  #nextId(): number {
    return Math.max(this.#session.store!.conversations.newest, 0) + ++this.#count / 10_000
  }

  #echo(destination: Destination, content: string, local_id: string): ShownMessage {
    const { store, viewerId } = this.#session
    const own = store!.users.byId.get(viewerId)!
    const channel = 'stream_id' in destination ? store!.channels.subscribed.get(destination.stream_id) : undefined
    const people = 'user_ids' in destination ? [...new Set([...destination.user_ids, viewerId])] : []
    return {
      id: this.#nextId(),
      local_id,
      content,
      sender_id: viewerId,
      flags: ['read'],
      sender_full_name: own.full_name,
      sender_email: own.email,
      avatar_url: own.avatar_url ?? null,
      timestamp: Date.now() / 1000,
      reactions: [],
      submessages: [],
      topic_links: [],
      client: 'Parley',
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
