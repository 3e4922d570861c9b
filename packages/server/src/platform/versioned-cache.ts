import { LRUCache } from 'lru-cache'

interface Entry {
  version: string
  value: object
  size: number
}

export interface VersionedCacheBounds {
  /** Of all values, roughly. */
  bytes: number
  /** How long a value is kept. */
  milliseconds: number
}

export interface SharedMap<K, V> {
  get(key: K): V | undefined
  add(entries: Iterable<readonly [K, V]>): void
}

const maxMapEntries = 50_000

/** Caches values that are the same for as long as their version is. A key has one value, that of the last version. */
export class VersionedCache {
  readonly #entries: LRUCache<string, Entry>

  constructor({ bytes, milliseconds }: VersionedCacheBounds) {
    const sizeCalculation = ({ size }: Entry) => Math.max(size, 1)
    this.#entries = new LRUCache({ maxSize: bytes, sizeCalculation, ttl: milliseconds, ttlAutopurge: true })
  }

  async getOrLoad<T extends object>(
    key: string,
    version: string,
    load: () => Promise<T>,
    sizeOf: (value: T) => number,
  ): Promise<T> {
    const known = this.#entries.get(key)
    if (known?.version === version) return known.value as T
    const value = await load()
    this.#entries.set(key, { version, value, size: sizeOf(value) })
    return value
  }

  /** A map that all users of this version share. `entryBytes`: roughly the size of one of its entries. */
  map<K, V>(key: string, version: string, entryBytes: number): SharedMap<K, V> {
    const known = this.#entries.get(key)
    const values = known?.version === version ? (known.value as Map<K, V>) : new Map<K, V>()
    return {
      get: (id) => values.get(id),
      add: (entries) => {
        if (values.size > maxMapEntries) values.clear()
        for (const [id, value] of entries) values.set(id, value)
        this.#entries.set(key, { version, value: values, size: values.size * entryBytes })
      },
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}
