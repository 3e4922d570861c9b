import type { QueueEvent } from '@parley/api/events'
import { MessageCache, type ShownMessage } from '../messages/cache.ts'
import type { LocalChange } from '../messages/local-events.ts'
import type { Narrow } from '../messages/narrow.ts'
import type { MessageWindow } from '../messages/window.ts'
import { Windows } from '../messages/windows.ts'
import { createStore, type Store } from '../store/store.ts'
import type { CallName, CallParams } from '../wire/calls.ts'
import type { ParleyClient } from '../wire/client.ts'
import type { QueuePosition, RegisterResponse } from '../wire/events.ts'
import { type FeedSink, TabFeed, type TabPort } from '../wire/tab-feed.ts'
import { AbandonedDeliveries } from './abandoned.ts'
import { Changes } from './changes.ts'
import { Deliveries } from './deliveries.ts'
import { Outbox, type Sender } from './outbox.ts'
import { type SavedSession, Saver, type SessionStorage, savedMessages } from './saved-session.ts'
import { WhileAway } from './while-away.ts'

export type Connection = 'connecting' | 'online' | 'offline' | 'signed out'

/** Lets a session continue later, and share its queue with other tabs. */
export interface Platform {
  storage: SessionStorage
  tabs: TabPort
  /** Runs work when the user does nothing. */
  whenQuiet: (work: () => void) => void
}

const register = {
  apply_markdown: true,
  client_gravatar: true,
  idle_queue_timeout: 604_800,
  include_subscribers: false,
  slim_presence: true,
}

/** Everything a signed-in client knows, kept up to date by events. */
export class Session {
  readonly client: ParleyClient
  readonly changes = new Changes()
  readonly messages = new MessageCache()
  connection: Connection = 'connecting'
  /** Since when the server cannot be reached. */
  offlineSince: Date | undefined
  /** Whether all events until now were applied. What an earlier start has stored may be outdated until then. */
  isCurrent = false
  /** Whether the state is one that was stored. */
  isRestored = false
  queueId = ''
  /** Writes that must not be lost while the server cannot be reached. */
  readonly deliveries: Deliveries
  readonly outbox: Outbox
  readonly abandoned: AbandonedDeliveries | undefined
  /** The user signs out in this tab, which leaves once the server has answered, whatever other requests say until then. */
  isSigningOut = false
  /** Whether there is an account that can write. Visitors of open channels have none. */
  readonly mayAct: boolean
  /** What a stored state did not contain yet. */
  readonly whileAway = new WhileAway()
  #lastEventId = -1
  #isOutdated = false
  #store: Store | undefined
  readonly #windows = new Windows(() => this.#windowDeps())
  readonly #stop = new AbortController()
  readonly #listeners = new Set<(event: QueueEvent) => void>()
  readonly #platform: Platform | undefined
  readonly #saver: Saver | undefined
  /** Whether the storage contains everything that this tab knows. */
  #isAsSaved = false

  constructor(client: ParleyClient, platform?: Platform, { mayAct = true } = {}) {
    this.client = client
    this.mayAct = mayAct
    this.#platform = platform
    this.deliveries = new Deliveries(client, platform?.storage)
    this.outbox = new Outbox(this)
    if (!platform) return
    this.#saver = new Saver(platform.storage, this.#saveSource(), platform.whenQuiet)
    this.abandoned = new AbandonedDeliveries(this, platform)
  }

  /** Undefined until the first registration. */
  get store(): Store | undefined {
    return this.#store
  }

  get viewerId(): number {
    return this.#store!.viewer.id
  }

  /** Shows what an earlier start or another tab has stored. Damaged data is deleted. */
  async restore(): Promise<void> {
    const storage = this.#platform?.storage
    try {
      const saved = await storage?.load()
      if (saved) this.#continue(saved)
    } catch {
      this.#reset()
      await storage?.clear().catch(() => {})
    }
  }

  /** Follows events until `stop`. Ends early if the session is not valid. */
  async run(): Promise<void> {
    try {
      await (this.#platform ? this.#runShared(this.#platform) : this.#runAlone())
    } catch {
      await this.#end()
    }
  }

  #runShared({ tabs }: Platform): Promise<void> {
    const options = { client: this.client, register, tabs, signal: this.#stop.signal }
    return new TabFeed(this.#sink(), options).run()
  }

  async #runAlone(): Promise<void> {
    for await (const news of this.client.events({
      register,
      signal: this.#stop.signal,
      onTrouble: (isDown) => this.#setTrouble(isDown),
      onCurrent: (isCurrent) => this.#setCurrent(isCurrent),
    })) {
      if ('state' in news) this.#begin(news.state)
      else this.#apply(news.event)
    }
  }

  stop(): void {
    this.#stop.abort()
  }

  /** The device knows before any request fails. If it is wrong, the next request says so. */
  setReachable(isReachable: boolean): void {
    if (this.#store) this.#setTrouble(!isReachable)
  }

  /** Writes what is not stored yet, because the program may end now. */
  flush(): void {
    void this.#saver?.finish()
  }

  /** Removes everything from this device, because the user signed out. */
  async forget(): Promise<void> {
    this.#stop.abort()
    await this.#end()
  }

  /** Removes the state from this device, because it is damaged. */
  async forgetState(): Promise<void> {
    if (this.#saver) this.#saver.isOn = false
    await this.#platform?.storage.clear().catch(() => {})
  }

  async #end(): Promise<void> {
    if (this.#saver) this.#saver.isOn = false
    await this.#platform?.storage.destroy().catch(() => {})
    if (this.isSigningOut) return
    this.connection = 'signed out'
    this.changes.changed()
  }

  /** Calls the listener with every event, after it was applied. */
  onEvent(listener: (event: QueueEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Shows a change of messages at once and delivers it. Takes it back if the server refuses. */
  async change<Name extends CallName>(name: Name, params: CallParams<Name>, change: LocalChange): Promise<void> {
    this.showLocally(change.now)
    try {
      await this.deliveries.deliver(name, params, { change })
    } catch (error) {
      this.showLocally(change.back)
      throw error
    }
  }

  /** What waits in this tab is shown in all tabs. */
  readonly tellTabs: Sender['tellTabs'] = (news) => {
    const tabs = this.#platform?.tabs
    tabs?.post('type' in news ? news : { type: 'waiting', tab: tabs.id, ...news })
  }

  showLocally(event: QueueEvent): void {
    this.messages.apply(event)
    this.changes.changed()
  }

  /** The window of a narrow. It is kept while few others are opened. */
  window(narrow: Narrow): MessageWindow {
    return this.#windows.open(narrow)
  }

  get windows(): Iterable<MessageWindow> {
    return this.#windows.all
  }

  /** Adds messages that were loaded outside a window. */
  addMessages(messages: readonly ShownMessage[]): void {
    this.messages.add(messages)
    this.#loaded()
  }

  #loaded(): void {
    this.changes.changed()
    this.#saver?.messagesChanged()
  }

  #windowDeps() {
    const { client, viewerId: viewer, messages: cache, outbox } = this
    return { client, cache, viewer, changed: () => this.#loaded(), unsent: () => outbox.messages }
  }

  get #position(): QueuePosition | undefined {
    return this.#store ? { queue_id: this.queueId, last_event_id: this.#lastEventId } : undefined
  }

  #saveSource() {
    return {
      state: () => ({ ...this.#position!, state: this.#store!.snapshot() }),
      messages: () => savedMessages(this.#lastEventId, this.#windows.all, this.messages.byId),
    }
  }

  #sink(): FeedSink {
    return {
      position: () => this.#position,
      isOutdated: () => this.#isOutdated,
      begin: (state) => this.#begin(state),
      apply: (event) => this.#apply(event),
      load: () => this.restore(),
      save: () => this.#saver!.saveAll(),
      setTrouble: (isDown) => this.#setTrouble(isDown),
      setCurrent: (isCurrent) => this.#setCurrent(isCurrent),
      setLeading: (isLeading) => this.#setLeading(isLeading),
      meet: (tab) => this.abandoned!.meet(tab),
      signedOut: () => void this.forget(),
      greet: () => this.outbox.tell(),
      waiting: (news) => this.#store && this.outbox.hear(news),
    }
  }

  #setLeading(isLeading: boolean): void {
    this.#saver!.isOn = isLeading
    if (!isLeading || !this.#store) return
    if (!this.#isAsSaved) this.#saver!.restart()
    void this.abandoned!.meetAll()
  }

  #begin(state: RegisterResponse): void {
    this.#reset()
    this.#store = createStore(state)
    this.queueId = state.queue_id
    this.#lastEventId = state.last_event_id
    this.#setTrouble(false)
    this.outbox.showAgain()
    this.changes.changed()
    this.#saver?.restart()
    if (this.#saver?.isOn) void this.abandoned!.meetAll()
  }

  #reset(): void {
    this.#store = undefined
    this.#isOutdated = false
    this.#windows.clear()
    this.messages.byId.clear()
    this.isRestored = false
    this.#isAsSaved = false
  }

  /** The store and the messages may have been stored after different events. */
  #continue({ state, messages, events }: SavedSession): void {
    const store = createStore(state.state)
    if (!store.users.byId.has(store.viewer.id)) throw new Error('The stored state is damaged.')
    this.#reset()
    this.#store = store
    this.messages.add(messages.messages)
    this.#windows.restore(messages.windows)
    for (const event of events) {
      if (event.id > state.last_event_id) store.apply(event)
      if (event.id > messages.last_event_id) this.#applyToMessages(event)
    }
    this.queueId = state.queue_id
    this.#lastEventId = Math.max(state.last_event_id, ...events.map(({ id }) => id))
    this.isRestored = true
    this.#isOutdated = state.isOutdated === true
    this.#isAsSaved = true
    this.#saver?.continue(events.length)
    this.outbox.showAgain()
    this.changes.changed()
  }

  #applyToMessages(event: QueueEvent): void {
    this.messages.apply(event)
    this.#windows.apply(event)
  }

  #apply(event: QueueEvent): void {
    this.#lastEventId = Math.max(this.#lastEventId, event.id)
    this.#store!.apply(event)
    const source = event.type === 'message' ? this.outbox.arrived(event) : undefined
    this.#applyToMessages(event)
    if (event.type === 'message' && source !== undefined) this.messages.setSource(event.message.id, source)
    if (this.isRestored && !this.isCurrent) this.whileAway.observe(event, this.#store!, this.viewerId)
    if (this.#saver?.isOn) this.#saver.addEvent(event)
    else this.#isAsSaved = false
    for (const listener of this.#listeners) listener(event)
    this.changes.changed()
  }

  #setCurrent(isCurrent: boolean): void {
    if (this.isCurrent === isCurrent) return
    this.isCurrent = isCurrent
    this.changes.changed()
  }

  #setTrouble(isDown: boolean): void {
    const now = isDown ? 'offline' : 'online'
    if (this.connection === now) return
    this.connection = now
    if (!isDown) this.deliveries.hurry()
    this.offlineSince = isDown ? new Date() : undefined
    this.changes.changed()
  }
}
