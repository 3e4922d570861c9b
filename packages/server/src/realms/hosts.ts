import type { Database } from '../platform/db/pool.ts'

const refreshMilliseconds = 5000
const mostAnswers = 1000

/** Which realm a host name means. Realms are few and appear seldom: the whole list is read again now and then. */
export class RealmHosts {
  readonly #db: Database
  readonly #names: ReadonlySet<string> | undefined
  #hosts: Map<string | null, number> | undefined
  /** Answers already given, by the header as it came. */
  readonly #answers = new Map<string | undefined, number | undefined>()
  #readAt = 0
  #reading: Promise<void> | undefined

  /** `names`: the only ones under which the realm without a host is served; absent: all. */
  constructor(db: Database, names?: ReadonlySet<string>) {
    this.#db = db
    this.#names = names
  }

  /** The realm of a request's Host header; the realm without a host of its own answers for every other. */
  async realmIdOf(hostHeader: string | undefined): Promise<number | undefined> {
    const known = this.known(hostHeader)
    if (known !== undefined) return known
    await this.#readOnce()
    return this.#find(hostHeader)
  }

  /** The same without waiting, if it is remembered. A little late it is still given, and read again meanwhile. */
  known(hostHeader: string | undefined): number | undefined {
    const age = performance.now() - this.#readAt
    if (!this.#hosts || age > 2 * refreshMilliseconds) return undefined
    if (age > refreshMilliseconds) this.#readOnce().catch(() => {})
    return this.#find(hostHeader)
  }

  /** However many ask at once, the list is read once. */
  #readOnce(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    const rows = await this.#db.selectFrom('realms').select(['id', 'host']).execute()
    this.#hosts = new Map(rows.map(({ id, host }) => [host, id]))
    this.#readAt = performance.now()
    this.#answers.clear()
  }

  #find(hostHeader: string | undefined): number | undefined {
    const known = this.#answers.get(hostHeader)
    if (known !== undefined) return known
    const found = this.#look(hostHeader)
    if (this.#answers.size < mostAnswers) this.#answers.set(hostHeader, found)
    return found
  }

  #look(hostHeader: string | undefined): number | undefined {
    const host = hostNameOf(hostHeader)
    const own = host !== undefined ? this.#hosts?.get(host) : undefined
    if (own !== undefined) return own
    return !this.#names || this.#names.has(host ?? '') ? this.#hosts?.get(null) : undefined
  }
}

/** `chat.example.com:9991` and `[::1]:9991` without the port, in lower case. */
export function hostNameOf(hostHeader: string | undefined): string | undefined {
  return hostHeader?.toLowerCase().replace(/:\d+$/, '')
}
