/** Listeners are called at most this often, so that a flood of events leaves time for the user. */
const leastMilliseconds = 60

/** Tells listeners that something changed, once for all changes made in the same turn or shortly after each other. */
export class Changes {
  /** Grows with every change, so that a reader can see whether it is up to date. */
  version = 0
  readonly #listeners = new Set<() => void>()
  #isScheduled = false
  #lastNotice = -leastMilliseconds

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  changed(): void {
    this.version++
    if (this.#isScheduled) return
    this.#isScheduled = true
    const wait = this.#lastNotice + leastMilliseconds - performance.now()
    if (wait <= 0) queueMicrotask(() => this.#notify())
    else setTimeout(() => this.#notify(), wait)
  }

  #notify(): void {
    this.#isScheduled = false
    for (const listener of [...this.#listeners]) listener()
    this.#lastNotice = performance.now()
  }
}
