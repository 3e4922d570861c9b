import type { LogEvent } from './log.ts'
import type { LogHead } from './log-epochs.ts'

const maxEvents = 20_000
const maxBytes = 16 * 1024 * 1024

/** The newest stretch of one realm's log in one epoch, without gaps. A new epoch has a new tail. */
export class Tail {
  readonly epoch: number
  /** The newest event number known to exist in the log. */
  known: number
  /** The newest event number known to survive a crash. */
  durable: number
  /** The read that is going on, and when it began. */
  reading: Promise<void> | undefined
  readingSince = 0
  usedAt = performance.now()
  #head: number
  #events: LogEvent[] = []
  #bytes = 0

  /** Starts at an end of the log that survives a crash. */
  constructor({ last_event = 0, epoch = 0 }: Partial<LogHead> = {}) {
    this.epoch = epoch
    this.known = last_event
    this.durable = last_event
    this.#head = last_event
  }

  /** The number of the last event. */
  get head(): number {
    return this.#head
  }

  /** Whether these are the next events. */
  isContinuedBy(events: LogEvent[]): boolean {
    return events.every(({ seq }, index) => seq === this.#head + 1 + index)
  }

  append(events: LogEvent[]): void {
    if (!this.isContinuedBy(events)) throw new Error(`event ${events[0]?.seq} does not follow ${this.#head}`)
    for (const event of events) {
      this.#events.push(event)
      this.#bytes += event.payload.length
    }
    this.#head += events.length
    this.#shorten()
  }

  /** The events after `seq`; undefined if they reach further back than this. */
  after(seq: number): LogEvent[] | undefined {
    if (seq >= this.#head) return []
    const first = this.#events[0]?.seq
    return first !== undefined && seq >= first - 1 ? this.#events.slice(seq - first + 1) : undefined
  }

  /** Whether another event was seen under this number. */
  contradicts({ seq, payload }: LogEvent): boolean {
    const seen = this.#events[seq - (this.#events[0]?.seq ?? 0)]
    return seen !== undefined && seen.payload !== payload
  }

  #shorten(): void {
    if (this.#events.length <= maxEvents && this.#bytes <= maxBytes) return
    const dropped = this.#events.splice(0, Math.ceil(this.#events.length / 2))
    for (const { payload } of dropped) this.#bytes -= payload.length
  }
}
