/** The share of the time that the event loop is busy, below which nobody waits for this process. */
const quietShare = 0.02
const quietChecks = 3
const grownBytes = 64 * 1024 * 1024
/** A larger heap takes too long to compact. */
const mostBytes = 512 * 1024 * 1024
/** Between two ends, because compacting also throws away optimized code. With a check every 3 s: ten minutes. */
const leastChecks = 200

/** Notices when load is over that has made the heap grow. */
export class LoadEnd {
  #quiet = quietChecks
  #sinceLast = leastChecks
  /** The heap needs at least this much. */
  #least = Number.POSITIVE_INFINITY

  /** Call this every few seconds, with the share of this time that the event loop was busy. */
  isReached(busyShare: number, heapBytes: number): boolean {
    this.#quiet = busyShare < quietShare ? this.#quiet + 1 : 0
    this.#sinceLast++
    const isLarge = heapBytes > this.#least + grownBytes && heapBytes < mostBytes
    const isReached = this.#quiet === quietChecks && isLarge && this.#sinceLast > leastChecks
    if (isReached) this.#sinceLast = 0
    this.#least = Math.min(this.#least, heapBytes)
    return isReached
  }
}
