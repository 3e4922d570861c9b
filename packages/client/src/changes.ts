/** Tells listeners that something changed, once for all changes made in the same turn. */
export class Changes {
  /** Grows with every change, so that a reader can see whether it is up to date. */
  version = 0
  readonly #listeners = new Set<() => void>()
  #isScheduled = false

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  changed(): void {
    this.version++
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      for (const listener of [...this.#listeners]) listener()
    })
  }
}
