import type { QueueEvent } from '@parley/api/events'
import type { WaitingNews } from '../session/elsewhere.ts'
import type { Caller, CallParams } from './calls.ts'
import { followEvents, type QueuePosition, type RegisterResponse } from './events.ts'

/** What tabs of the same account say to each other. */
export type TabMessage =
  /** A tab wants to know what it missed. */
  | { type: 'hello'; tab: string; position: QueuePosition | undefined }
  /** The leader is there, and whether it reaches the server. */
  | { type: 'alive'; isDown: boolean; isCurrent: boolean }
  /** Events of the queue after a position. */
  | { type: 'events'; queue_id: string; after: number; events: QueueEvent[] }
  /** The state until this position can be loaded. */
  | { type: 'saved'; position: QueuePosition }
  /** Nothing can be saved here, so each tab has to follow events by itself. */
  | { type: 'alone' }
  | { type: 'signed out' }
  | WaitingNews

/** What the platform offers to tabs of one account. */
export interface TabPort {
  /** Of this tab. */
  readonly id: string
  post(message: TabMessage): void
  listen(listener: (message: TabMessage) => void): void
  /** Waits until this tab is the leader, or takes the lead at once. The signal aborts when another tab took it. */
  lead(work: (signal: AbortSignal) => Promise<void>, takes: boolean): Promise<void>
  /** Resolves when that tab no longer exists. */
  whenGone(tab: string): Promise<void>
  /** Calls the listener when the user comes back to this tab. */
  onWake(listener: () => void): void
}

/** The session that the feed keeps up to date. */
export interface FeedSink {
  position(): QueuePosition | undefined
  /** What is shown has to be replaced by a new registration, because another version of the client stored it. */
  isOutdated(): boolean
  begin(state: RegisterResponse): void
  apply(event: QueueEvent): void
  /** Loads what the leader has saved. */
  load(): Promise<void>
  save(): Promise<boolean>
  setTrouble(isDown: boolean): void
  setCurrent(isCurrent: boolean): void
  setLeading(isLeading: boolean): void
  /** Another tab exists, or existed. */
  meet(tab: string): void
  signedOut(): void
  /** Another tab was opened, or comes back. */
  greet(): void
  waiting(news: WaitingNews): void
}

export interface FeedOptions {
  client: Caller
  register: CallParams<'register'>
  tabs: TabPort
  signal: AbortSignal
  /** How long a leader may take to answer. */
  patience?: number
}

/** A leader gets a heartbeat at least every minute. */
const silence = 90_000
const mostRecent = 2000

/**
 * Events for all tabs of an account through one queue. The tab that leads polls it and passes events on; each event says which
 * one was before it, so that a tab notices what it missed. When the leader disappears, the next one continues at its own
 * position: the queue delivers the same events again.
 */
export class TabFeed {
  readonly #sink: FeedSink
  readonly #options: FeedOptions
  #isLeading = false
  #isDown = false
  #isCurrent = false
  #isLoading = false
  /** Whether this tab has all events that the leader has. */
  #isSynced = false
  #others = 0
  /** Whether a tab waits for a state that this one does not have yet. */
  #isAwaited = false
  /** The last events, each with the id of the one before. */
  #recent: { after: number; event: QueueEvent }[] = []
  #question: ReturnType<typeof setTimeout> | undefined
  #watchdog: ReturnType<typeof setTimeout> | undefined
  #failed: (error: unknown) => void = () => {}

  constructor(sink: FeedSink, options: FeedOptions) {
    this.#sink = sink
    this.#options = options
  }

  /** Runs until aborted. Throws if the server refuses. */
  run(): Promise<void> {
    const { tabs, signal } = this.#options
    return new Promise((resolve, reject) => {
      this.#failed = reject
      signal.addEventListener('abort', () => this.#stop(resolve))
      tabs.listen((message) => this.#hear(message))
      tabs.onWake(() => this.#ask())
      this.#stand(false)
      this.#ask()
    })
  }

  #stop(done: () => void): void {
    this.#stopAsking()
    clearTimeout(this.#watchdog)
    done()
  }

  #stand(takes: boolean): void {
    this.#options.tabs
      .lead((lost) => this.#lead(lost), takes)
      // Another tab took the lead: this one waits for its turn.
      .then(() => {
        if (!this.#options.signal.aborted) this.#stand(false)
      })
      .catch((error: unknown) => this.#fail(error))
  }

  #fail(error: unknown): void {
    this.#post({ type: 'signed out' })
    this.#failed(error)
  }

  async #lead(lost: AbortSignal): Promise<void> {
    this.#stopAsking()
    clearTimeout(this.#watchdog)
    this.#isLeading = true
    this.#recent = []
    this.#sink.setLeading(true)
    const resume = this.#sink.isOutdated() ? undefined : this.#sink.position()
    try {
      await this.#follow(AbortSignal.any([lost, this.#options.signal]), resume)
    } finally {
      this.#isLeading = false
      this.#sink.setLeading(false)
    }
  }

  async #follow(signal: AbortSignal, resume: QueuePosition | undefined): Promise<void> {
    const { client, register } = this.#options
    for await (const news of followEvents(client, {
      register,
      resume,
      signal,
      keepsQueue: true,
      onTrouble: (isDown) => this.#setTrouble(isDown),
      onCurrent: (isCurrent) => this.#setCurrent(isCurrent),
    })) {
      if ('state' in news) this.#begin(news.state)
      else this.#pass(news.event)
    }
  }

  #begin(state: RegisterResponse): void {
    this.#recent = []
    this.#sink.begin(state)
    if (this.#others > 0 || this.#isAwaited) void this.#offerState()
  }

  #pass(event: QueueEvent): void {
    const { queue_id, last_event_id: after } = this.#sink.position()!
    this.#sink.apply(event)
    if (event.id <= after) return
    this.#recent.push({ after, event })
    if (this.#recent.length > mostRecent) this.#recent.shift()
    this.#post({ type: 'events', queue_id, after, events: [event] })
  }

  #setTrouble(isDown: boolean): void {
    this.#isDown = isDown
    this.#sink.setTrouble(isDown)
    this.#sayAlive()
  }

  #setCurrent(isCurrent: boolean): void {
    this.#isCurrent = isCurrent
    this.#sink.setCurrent(isCurrent)
    this.#sayAlive()
  }

  #sayAlive(): void {
    if (this.#others > 0) this.#post({ type: 'alive', isDown: this.#isDown, isCurrent: this.#isCurrent })
  }

  #post(message: TabMessage): void {
    this.#options.tabs.post(message)
  }

  #hear(message: TabMessage): void {
    if (message.type === 'signed out') return void this.#sink.signedOut()
    if (message.type === 'waiting' || message.type === 'decided') return void this.#sink.waiting(message)
    if (message.type === 'hello') this.#hearHello(message)
    else if (!this.#isLeading) this.#hearLeader(message)
  }

  #hearHello({ tab, position }: Extract<TabMessage, { type: 'hello' }>): void {
    this.#sink.greet()
    if (!this.#isLeading) return
    this.#others++
    this.#sink.meet(tab)
    this.#sayAlive()
    const own = this.#sink.position()
    if (!own) this.#isAwaited = true
    else if (!this.#repeat(position, own)) void this.#offerState()
  }

  /** Sends what came after a position. Returns false if that is too long ago. */
  #repeat(position: QueuePosition | undefined, own: QueuePosition): boolean {
    if (position?.queue_id !== own.queue_id) return false
    const after = position.last_event_id
    const oldest = this.#recent[0]?.after ?? own.last_event_id
    if (after < oldest) return false
    const events = this.#recent.map(({ event }) => event).filter(({ id }) => id > after)
    this.#post({ type: 'events', queue_id: own.queue_id, after, events })
    return true
  }

  async #offerState(): Promise<void> {
    this.#isAwaited = false
    const position = this.#sink.position()!
    const isSaved = await this.#sink.save()
    this.#post(isSaved ? { type: 'saved', position } : { type: 'alone' })
  }

  #hearLeader(message: Exclude<TabMessage, WaitingNews | { type: 'hello' | 'signed out' }>): void {
    this.#stopAsking()
    clearTimeout(this.#watchdog)
    this.#watchdog = setTimeout(() => this.#ask(), silence)
    if (message.type === 'alive') {
      this.#isCurrent = message.isCurrent
      this.#sink.setTrouble(message.isDown)
      this.#sink.setCurrent(this.#isCurrent && this.#isSynced)
    }
    if (message.type === 'events') this.#take(message)
    if (message.type === 'saved') void this.#load(message.position)
    if (message.type === 'alone' && !this.#sink.position()) void this.#goAlone()
  }

  #take({ queue_id, after, events }: Extract<TabMessage, { type: 'events' }>): void {
    const position = this.#sink.position()
    if (this.#isLoading || !position) return
    this.#isSynced = position.queue_id === queue_id && after <= position.last_event_id
    if (!this.#isSynced) return void this.#ask()
    for (const event of events) if (event.id > this.#sink.position()!.last_event_id) this.#sink.apply(event)
    this.#sink.setCurrent(this.#isCurrent)
  }

  async #load({ queue_id, last_event_id }: QueuePosition): Promise<void> {
    const own = this.#sink.position()
    const isKnown = own?.queue_id === queue_id && own.last_event_id >= last_event_id
    if (isKnown || this.#isLoading) return
    this.#isLoading = true
    this.#isSynced = false
    await this.#sink.load()
    this.#isLoading = false
    this.#ask()
  }

  /** Asks the leader for what this tab has missed. A leader that does not answer is replaced. */
  #ask(): void {
    if (this.#isLeading) return
    const { tabs, patience = 3000 } = this.#options
    this.#post({ type: 'hello', tab: tabs.id, position: this.#sink.position() })
    this.#question ??= setTimeout(() => this.#stand(true), patience)
  }

  #stopAsking(): void {
    clearTimeout(this.#question)
    this.#question = undefined
  }

  /** With a queue of its own, as if there were no other tabs. */
  async #goAlone(): Promise<void> {
    await this.#follow(this.#options.signal, undefined).catch((error: unknown) => this.#failed(error))
  }
}
