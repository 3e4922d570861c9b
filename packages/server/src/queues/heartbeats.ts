import type { Waiter } from './waiter.ts'

/** How long a client waits before it gets a heartbeat. Up to 20 % is added at random. */
const defaultSeconds = 45

/** Reports waiters that have waited for long. Far cheaper than a timer per waiter. */
export class Heartbeats {
  readonly #report: (waiter: Waiter) => void
  readonly #seconds: number
  /** Waiters by the second in which their heartbeat is due. */
  readonly #due = new Map<number, Set<Waiter>>()
  /** Runs while clients wait, but does not keep the process alive. */
  #clock: NodeJS.Timeout | undefined
  #second = 0

  constructor(report: (waiter: Waiter) => void, seconds = defaultSeconds) {
    this.#report = report
    this.#seconds = seconds
  }

  schedule(waiter: Waiter): void {
    this.#clock ??= setInterval(() => this.#tick(), 1000).unref()
    const second = this.#second + Math.ceil(this.#seconds * (1 + Math.random() / 5))
    const due = this.#due.get(second)
    if (due) due.add(waiter)
    else this.#due.set(second, new Set([waiter]))
    waiter.due = second
  }

  unschedule(waiter: Waiter): void {
    if (waiter.due !== undefined) this.#due.get(waiter.due)?.delete(waiter)
    waiter.due = undefined
  }

  stop(): void {
    clearInterval(this.#clock)
    this.#clock = undefined
  }

  #tick(): void {
    this.#second++
    const due = this.#due.get(this.#second)
    this.#due.delete(this.#second)
    for (const waiter of due ?? []) this.#report(waiter)
    if (this.#due.size === 0) this.stop()
  }
}
