import type { QueueEvent } from '@parley/api/events'
import type { CallName, CallParams } from './calls.ts'
import { Changes } from './changes.ts'
import type { ParleyClient } from './client.ts'
import { Deliveries } from './deliveries.ts'
import type { RegisterResponse } from './events.ts'
import { MessageCache } from './messages/cache.ts'
import type { LocalChange } from './messages/local-events.ts'
import { MessageWindow } from './messages/window.ts'
import { type Narrow, narrowKey } from './narrow.ts'
import { Outbox } from './outbox.ts'
import { createStore, type Store } from './store.ts'

export type Connection = 'connecting' | 'online' | 'offline' | 'signed out'

/** How many narrows keep their messages while others are shown. */
const maxWindows = 40

/** Everything a signed-in client knows, kept up to date by events. */
export class Session {
  readonly client: ParleyClient
  readonly changes = new Changes()
  readonly messages = new MessageCache()
  connection: Connection = 'connecting'
  /** Since when the server cannot be reached. */
  offlineSince: Date | undefined
  queueId = ''
  /** Writes that must not be lost while the server cannot be reached. */
  readonly deliveries: Deliveries
  outbox: Outbox
  #store: Store | undefined
  #windows = new Map<string, MessageWindow>()
  readonly #stop = new AbortController()
  readonly #listeners = new Set<(event: QueueEvent) => void>()

  constructor(client: ParleyClient) {
    this.client = client
    this.deliveries = new Deliveries(client)
    this.outbox = new Outbox(this)
  }

  /** Undefined until the first registration. */
  get store(): Store | undefined {
    return this.#store
  }

  get viewerId(): number {
    return this.#store!.settings.user_id as number
  }

  /** Registers and follows events until `stop`. Ends early if the session is not valid. */
  async run(): Promise<void> {
    const register = {
      apply_markdown: true,
      client_gravatar: true,
      idle_queue_timeout: 604_800,
      include_subscribers: false,
      slim_presence: true,
    }
    const { signal } = this.#stop
    try {
      for await (const news of this.client.events({
        register: register as never,
        signal,
        onTrouble: (isDown) => this.#trouble(isDown),
      })) {
        if ('state' in news) this.#begin(news.state)
        else this.#apply(news.event)
      }
    } catch {
      this.connection = 'signed out'
      this.changes.changed()
    }
  }

  stop(): void {
    this.#stop.abort()
  }

  /** Calls the listener with every event, after it was applied. */
  onEvent(listener: (event: QueueEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Shows a change of messages at once and delivers it. Takes it back if the server refuses. */
  async change<Name extends CallName>(name: Name, params: CallParams<Name>, { now, back }: LocalChange): Promise<void> {
    this.#showLocally(now)
    try {
      await this.deliveries.deliver(name, params)
    } catch (error) {
      this.#showLocally(back)
      throw error
    }
  }

  #showLocally(event: QueueEvent): void {
    this.messages.apply(event)
    this.changes.changed()
  }

  /** The window of a narrow. It is kept while few others are opened. */
  window(narrow: Narrow): MessageWindow {
    const key = narrowKey(narrow)
    const known = this.#windows.get(key)
    const opened = known ?? new MessageWindow(narrow, this.#deps())
    this.#windows.delete(key)
    this.#windows.set(key, opened)
    if (this.#windows.size > maxWindows) this.#windows.delete(this.#windows.keys().next().value!)
    return opened
  }

  get windows(): Iterable<MessageWindow> {
    return this.#windows.values()
  }

  #deps() {
    return { client: this.client, cache: this.messages, viewer: this.viewerId, changed: () => this.changes.changed() }
  }

  #begin(state: RegisterResponse): void {
    this.#store = createStore(state)
    this.queueId = state.queue_id
    this.#windows = new Map()
    this.messages.byId.clear()
    this.#trouble(false)
    this.outbox.showAgain()
    this.changes.changed()
  }

  #apply(event: QueueEvent): void {
    this.#store!.apply(event)
    if (event.type === 'message') this.outbox.arrived(event)
    this.messages.apply(event)
    for (const window of this.#windows.values()) window.apply(event)
    for (const listener of this.#listeners) listener(event)
    this.changes.changed()
  }

  #trouble(isDown: boolean): void {
    const now = isDown ? 'offline' : 'online'
    if (this.connection === now) return
    this.connection = now
    if (!isDown) this.deliveries.hurry()
    this.offlineSince = isDown ? new Date() : undefined
    this.changes.changed()
  }
}
