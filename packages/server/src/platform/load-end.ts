/** The share of the time that the event loop is busy, below which nobody waits for this process. */
const quietShare = 0.02
const grownBytes = 64 * 1024 * 1024

/** Notices when load is over that has made the heap grow. */
export class LoadEnd {
  #wasBusy = false
  /** The heap needs at least this much. */
  #least = Number.POSITIVE_INFINITY

  /** Call this every few seconds, with the share of this time that the event loop was busy. */
  isReached(busyShare: number, heapBytes: number): boolean {
    const isBusy = busyShare >= quietShare
    const isReached = this.#wasBusy && !isBusy && heapBytes > this.#least + grownBytes
    this.#wasBusy = isBusy
    // If the heap cannot be compacted, what it keeps is no reason to try again.
    this.#least = isReached ? heapBytes : Math.min(this.#least, heapBytes)
    return isReached
  }
}
