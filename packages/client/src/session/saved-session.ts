import type { QueueEvent } from '@parley/api/events'
import type { ShownMessage } from '../messages/cache.ts'
import type { MessageWindow, SavedWindow } from '../messages/window.ts'
import type { State } from '../store/state.ts'
import type { QueuePosition } from '../wire/events.ts'
import type { Delivery, DeliveryStorage } from './deliveries.ts'

/** The state of the store after an event. */
export interface SavedState extends QueuePosition {
  state: State
  /** Another version of the client stored it, and may have left something out. */
  isOutdated?: boolean
}

/** Messages and windows after an event. */
export interface SavedMessages {
  last_event_id: number
  windows: SavedWindow[]
  messages: ShownMessage[]
}

/** What a client stored, to continue with it later. */
export interface SavedSession {
  state: SavedState
  messages: SavedMessages
  /** All events since the older of the two, ascending. */
  events: QueueEvent[]
}

export interface SessionChange {
  state?: SavedState
  messages?: SavedMessages
  events: QueueEvent[]
  /** Events that are contained in what is saved: everything until this id. */
  trimUntil?: number
}

/** Where a client stores what it knows. Nothing depends on it: every method may fail. */
export interface SessionStorage extends DeliveryStorage {
  load(): Promise<SavedSession | undefined>
  /** Writes everything or nothing. */
  save(change: SessionChange): Promise<void>
  /** Deliveries of tabs that are not this one, by tab. */
  othersDeliveries(): Promise<Map<string, Delivery[]>>
  /** Removes the state and messages, but not the deliveries. */
  clear(): Promise<void>
  /** Removes everything, for all tabs and for good. */
  destroy(): Promise<void>
}

/** What is saved. */
export interface SaveSource {
  state(): SavedState
  messages(): SavedMessages
}

const eventDelay = 1000
const messageDelay = 1500
/** With more events, opening would take longer, so the state is saved again. */
const mostEvents = 500
/** These say nothing about the state. */
const passing = new Set(['heartbeat', 'typing'])

/**
 * Decides when to save. Events are written one second after they happened, which is cheap. The state, which may be
 * large, is written rarely, and only while the user does nothing.
 */
export class Saver {
  readonly #storage: SessionStorage
  readonly #source: SaveSource
  readonly #whenQuiet: (work: () => void) => void
  #events: QueueEvent[] = []
  /** Events in the storage that the saved state does not contain. */
  #count = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #messageTimer: ReturnType<typeof setTimeout> | undefined
  #isWaiting = false
  /** Events alone are no use until a state was saved that they continue. */
  #hasState = false
  isOn = false

  constructor(storage: SessionStorage, source: SaveSource, whenQuiet: (work: () => void) => void) {
    this.#storage = storage
    this.#source = source
    this.#whenQuiet = whenQuiet
  }

  /** Continues what another start has saved, to which nothing was added since. */
  continue(count: number): void {
    this.#hasState = true
    this.#count = count
  }

  /** The state is another one, or the storage may have missed events. */
  restart(): void {
    this.#hasState = false
    this.#events = []
    if (this.isOn) this.#saveWhenQuiet()
  }

  addEvent(event: QueueEvent): void {
    if (!this.isOn || passing.has(event.type)) return
    if (!this.#hasState) return // the state that will be saved contains it
    this.#events.push(event)
    this.#count++
    if (this.#count > mostEvents) this.#saveWhenQuiet()
    this.#timer ??= setTimeout(() => void this.flush(), eventDelay)
  }

  messagesChanged(): void {
    if (!this.isOn) return
    clearTimeout(this.#messageTimer)
    this.#messageTimer = setTimeout(() => this.#whenQuiet(() => void this.#saveMessages()), messageDelay)
  }

  /** Writes the events that are not written yet. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#events.length > 0) await this.#write({})
  }

  /** Writes what can be written at once, because the program may end. */
  async finish(): Promise<void> {
    await (this.#messageTimer && this.#hasState ? this.#saveMessages() : this.flush())
  }

  /** Writes everything. Returns whether that succeeded. */
  async saveAll(): Promise<boolean> {
    const state = this.#source.state()
    this.#hasState = true
    this.#count = 0
    return this.#write({ state, messages: this.#source.messages(), trimUntil: state.last_event_id })
  }

  async #saveMessages(): Promise<void> {
    clearTimeout(this.#messageTimer)
    this.#messageTimer = undefined
    if (!this.isOn) return
    if (this.#hasState) await this.#write({ messages: this.#source.messages() })
    else this.#saveWhenQuiet()
  }

  #saveWhenQuiet(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#whenQuiet(() => {
      this.#isWaiting = false
      if (this.isOn) void this.saveAll()
    })
  }

  /** After a failure the storage lacks events. What it has stays consistent, only older. */
  async #write(change: Omit<SessionChange, 'events'>): Promise<boolean> {
    const events = change.state ? [] : this.#events
    this.#events = []
    try {
      await this.#storage.save({ ...change, events })
      return true
    } catch {
      this.#hasState = false
      return false
    }
  }
}

const mostWindows = 15
const mostIds = 150
/** The inbox shows the newest messages of conversations that were not opened. */
const mostOthers = 300

/** The recently opened windows with their messages, without those that are being sent. */
export function savedMessages(
  last_event_id: number,
  windows: readonly MessageWindow[],
  byId: ReadonlyMap<number, ShownMessage>,
): SavedMessages {
  const saved = windows
    .filter((window) => window.isLoaded)
    .slice(-mostWindows)
    .map((window) => window.save(mostIds, (id) => byId.get(id)?.local_id === undefined))
  const newest = [...byId.keys()].sort((a, b) => b - a).slice(0, mostOthers)
  const ids = new Set([...saved.flatMap((window) => [...window.ids]), ...newest])
  const messages = [...ids].flatMap((id) => byId.get(id) ?? []).filter((one) => one.local_id === undefined)
  return { last_event_id, windows: saved, messages }
}
