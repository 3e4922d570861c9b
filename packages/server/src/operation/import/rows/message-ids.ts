const idsAtOnce = 10_000

/** What the messages of a file are called here. Both lists ascend; sixteen bytes each, because there may be ten million. */
export class MessageIds {
  #from = new Float64Array(1024)
  #to = new Float64Array(0)
  /** Those that an earlier import, or an earlier part of this one, has written. */
  #known = new Uint8Array(0)
  #count = 0
  #isSorted = true

  get count(): number {
    return this.#count
  }

  add(id: number): void {
    if (this.#count === this.#from.length) {
      const larger = new Float64Array(2 * this.#count)
      larger.set(this.#from)
      this.#from = larger
    }
    if (this.#count > 0 && id <= this.#from[this.#count - 1]!) this.#isSorted = false
    this.#from[this.#count++] = id
  }

  /** Call it when all were added. Returns how many occur twice. */
  close(): number {
    if (!this.#isSorted) this.#from.subarray(0, this.#count).sort()
    const ids = this.#from
    let kept = 0
    for (let index = 0; index < this.#count; index++)
      if (index === 0 || ids[index] !== ids[index - 1]) ids[kept++] = ids[index]!
    const doubled = this.#count - kept
    this.#count = kept
    this.#to = new Float64Array(kept)
    this.#known = new Uint8Array(kept)
    return doubled
  }

  /**
   * Gives every message its new id: those that `findKnown` finds have one, and the others are numbered after `last`, unless
   * they keep theirs.
   */
  async assign(
    findKnown: (ids: number[]) => Promise<ReadonlyMap<number, number>>,
    last: number,
    keeps: boolean,
  ): Promise<void> {
    let next = last
    for (let start = 0; start < this.#count; start += idsAtOnce) {
      const ids = [...this.#from.subarray(start, Math.min(start + idsAtOnce, this.#count))]
      const known = await findKnown(ids)
      for (const [offset, id] of ids.entries()) {
        const present = known.get(id)
        this.#known[start + offset] = present === undefined ? 0 : 1
        this.#to[start + offset] = present ?? (keeps ? id : ++next)
      }
    }
  }

  find(id: unknown): number | undefined {
    const index = this.#indexOf(id)
    return index >= 0 && this.#from[index] === id ? this.#to[index] : undefined
  }

  isKnown(id: number): boolean {
    const index = this.#indexOf(id)
    return index >= 0 && this.#from[index] === id && this.#known[index] === 1
  }

  /** The new id of the last message up to this one; 0 before the first. */
  upTo(id: unknown): number {
    const index = this.#indexOf(id)
    return index < 0 ? 0 : this.#to[index]!
  }

  /** Of the last message with an id up to this one; -1 before the first. */
  #indexOf(id: unknown): number {
    if (typeof id !== 'number') return -1
    let [low, high] = [0, this.#count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#from[middle]! <= id) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
