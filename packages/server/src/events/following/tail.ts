import type { LogEvent } from '../log.ts'
import type { LogHead } from './log-epochs.ts'

const maxEvents = 20_000
const maxSize = 16 * 1024 * 1024
const digitsPerId = 8

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
  /** Of the events, in the same order. */
  #sizes: number[] = []
  #size = 0

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
      const size = sizeOf(event)
      this.#events.push(event)
      this.#sizes.push(size)
      this.#size += size
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
    while (this.#events.length > maxEvents || this.#size > maxSize) {
      const half = Math.ceil(this.#events.length / 2)
      this.#events.splice(0, half)
      for (const size of this.#sizes.splice(0, half)) this.#size -= size
    }
  }
}

/**
 * In characters of JSON. Lists of users may be far longer than the payload: an edit in a large channel has the flags of all users
 * that differ from those of most.
 */
function sizeOf({ payload, audience, personal, internal }: LogEvent): number {
  return payload.length + digitsPerId * (audience.users?.length ?? 0) + lengthOf(personal) + lengthOf(internal)
}

function lengthOf(part: object | null): number {
  return part ? JSON.stringify(part).length : 0
}
