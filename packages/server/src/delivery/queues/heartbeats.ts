import type { Waiter } from './waiter.ts'

/** How long a client waits before it gets a heartbeat. Up to 20 % is added at random. */
const defaultSeconds = 45

/**
 * Reports waiters that have waited for long. Looking at all of them once a second is far cheaper than a timer for each,
 * and polls come and go without any other note of them.
 */
export class Heartbeats {
  readonly #waiters: () => Iterable<Waiter>
  readonly #report: (waiter: Waiter) => void
  readonly #seconds: number
  /** Runs while clients wait, but does not keep the process alive. */
  #clock: NodeJS.Timeout | undefined
  #second = 0

  /** `waiters` are all that wait; those that were not scheduled are left out. */
  constructor(waiters: () => Iterable<Waiter>, report: (waiter: Waiter) => void, seconds = defaultSeconds) {
    this.#waiters = waiters
    this.#report = report
    this.#seconds = seconds
  }

  schedule(waiter: Waiter): void {
    this.#clock ??= setInterval(() => this.#tick(), 1000).unref()
    waiter.due = this.#second + Math.ceil(this.#seconds * (1 + Math.random() / 5))
  }

  unschedule(waiter: Waiter): void {
    waiter.due = undefined
  }

  stop(): void {
    clearInterval(this.#clock)
    this.#clock = undefined
  }

  #tick(): void {
    this.#second++
    let isEmpty = true
    for (const waiter of this.#waiters()) {
      isEmpty = false
      if (waiter.due !== undefined && waiter.due <= this.#second) this.#report(waiter)
    }
    if (isEmpty) this.stop()
  }
}
