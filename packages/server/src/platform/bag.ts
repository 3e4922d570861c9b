/** An item and its place in the bag that it is in. */
export interface Placed {
  place: number
}

/**
 * A set of items that come and go with every request. A `Set` replaces its table every so often, and each old table refers
 * to the next one: until the next full garbage collection, they keep nearly all items in memory that were removed since.
 */
export class Bag<Item extends Placed> {
  readonly #items: Item[] = []

  add(item: Item): void {
    item.place = this.#items.push(item) - 1
  }

  /** Removes an item that is in the bag; the last one takes its place. */
  remove(item: Item): void {
    const last = this.#items.pop()!
    if (last === item) return
    this.#items[item.place] = last
    last.place = item.place
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.values()
  }
}
