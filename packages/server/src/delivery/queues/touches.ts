import type { Database } from '../../platform/db/pool.ts'
import { seqOf } from './event-id.ts'
import { touchQueues } from './queue-store.ts'
import type { QueuePosition } from './waiter.ts'

const flushMilliseconds = 15_000

/** Notes which queues are in use and which event each client has acknowledged, and stores that now and then. */
export class Touches {
  readonly #db: Database
  /** Acknowledged events by queue id, for queues used since the last flush. */
  readonly #acknowledged = new Map<string, number>()
  readonly #timer: NodeJS.Timeout

  constructor(db: Database) {
    this.#db = db
    this.#timer = setInterval(() => void this.flush(), flushMilliseconds)
  }

  add({ queue, last }: QueuePosition): void {
    this.#acknowledged.set(queue.id, seqOf(last))
  }

  async flush(): Promise<void> {
    const touches = [...this.#acknowledged]
    this.#acknowledged.clear()
    if (touches.length > 0) await touchQueues(this.#db, touches).catch(() => this.#restore(touches))
  }

  close(): Promise<void> {
    clearInterval(this.#timer)
    return this.flush()
  }

  /** Keeps the touches for the next flush, so that clients do not look idle after a database outage. */
  #restore(touches: [string, number][]): void {
    for (const [id, seq] of touches) if (!this.#acknowledged.has(id)) this.#acknowledged.set(id, seq)
  }
}
