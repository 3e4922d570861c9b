import type { RealmState } from './realm-state.ts'

/** Limits of a cache, per realm. */
export interface CacheBounds<V> {
  entries: number
  /** Used together with `sizeOf`, for values of variable size. */
  bytes?: number
  sizeOf?: (value: V) => number
}

/**
 * Caches one type of value for as long as the realm's state is cached. Each feature declares its own caches, so that
 * keys of different features cannot collide.
 */
export class RealmCache<K extends string | number, V extends {}> {
  readonly #maps = new WeakMap<RealmState, BoundedMap<K, V>>()
  readonly #bounds: CacheBounds<V>

  constructor(bounds: CacheBounds<V>) {
    this.#bounds = bounds
  }

  get(state: RealmState, key: K): V | undefined {
    return this.#maps.get(state)?.get(key)
  }

  set(state: RealmState, key: K, value: V): V {
    let map = this.#maps.get(state)
    if (!map) {
      map = new BoundedMap(this.#bounds)
      this.#maps.set(state, map)
    }
    map.set(key, value)
    return value
  }

  /** The cached value, or else a promise of the loaded one, which is then cached unless undefined. */
  getOrLoad<L extends V | undefined>(state: RealmState, key: K, load: () => Promise<L>): V | Promise<V | L> {
    return this.get(state, key) ?? this.#load(state, key, load)
  }

  async #load<L extends V | undefined>(state: RealmState, key: K, load: () => Promise<L>): Promise<V | L> {
    const loaded = await load()
    return loaded === undefined ? loaded : this.set(state, key, loaded)
  }
}

/** Drops the oldest entries when full. Not LRU, because tracking uses would cost every request. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #bounds: CacheBounds<V>
  #bytes = 0

  constructor(bounds: CacheBounds<V>) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  set(key: K, value: V): void {
    this.#delete(key)
    this.#entries.set(key, value)
    this.#bytes += this.#sizeOf(value)
    const { entries, bytes = Infinity } = this.#bounds
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entries && this.#bytes <= bytes) return
      this.#delete(oldest)
    }
  }

  #delete(key: K): void {
    const value = this.#entries.get(key)
    if (value === undefined) return
    this.#bytes -= this.#sizeOf(value)
    this.#entries.delete(key)
  }

  #sizeOf(value: V): number {
    return this.#bounds.sizeOf?.(value) ?? 0
  }
}
