import type { Config } from '../../config.ts'
import type { Database } from '../../platform/db/pool.ts'

const refreshMilliseconds = 5000
const maxResults = 1000

/** Maps host names to realms. Realms are few and rarely created, so the whole list is cached and refreshed. */
export class RealmHosts {
  readonly #db: Database
  readonly #names: ReadonlySet<string> | undefined
  #hosts: Map<string | null, number> | undefined
  /** Cached results, by Host header. */
  readonly #results = new Map<string | undefined, number | undefined>()
  #readAt = 0
  #reading: Promise<void> | undefined

  /** `names`: the host names that serve the realm without a host of its own. Undefined means all. */
  constructor(db: Database, names?: ReadonlySet<string>) {
    this.#db = db
    this.#names = names
  }

  /** The realm of a Host header. Unknown hosts get the realm without a host of its own. */
  async realmIdOf(hostHeader: string | undefined): Promise<number | undefined> {
    const known = this.known(hostHeader)
    if (known !== undefined) return known
    await this.#readOnce()
    return this.#find(hostHeader)
  }

  /** The cached result, without waiting. A slightly stale result is returned while the list is refreshed. */
  known(hostHeader: string | undefined): number | undefined {
    const age = performance.now() - this.#readAt
    if (!this.#hosts || age > 2 * refreshMilliseconds) return undefined
    if (age > refreshMilliseconds) this.#readOnce().catch(() => {})
    return this.#find(hostHeader)
  }

  /** Concurrent callers share one read. */
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
    this.#results.clear()
  }

  #find(hostHeader: string | undefined): number | undefined {
    const known = this.#results.get(hostHeader)
    if (known !== undefined) return known
    const found = this.#lookUp(hostHeader)
    if (this.#results.size < maxResults) this.#results.set(hostHeader, found)
    return found
  }

  #lookUp(hostHeader: string | undefined): number | undefined {
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

/** The URL with another host: an organization's own host is reached by the scheme and port of PUBLIC_URL. */
export function onHost(url: string, host: string): string {
  const { protocol, port } = new URL(url)
  return `${protocol}//${host}${port && `:${port}`}`
}

/** The URL of a realm where there is no request to take it from. Undefined if only a request would tell. */
export function publicUrlOf(publicUrl: string | undefined, { host }: { host: string | null }): string | undefined {
  return host === null ? publicUrl : onHost(publicUrl ?? 'https://localhost', host)
}

/** The same for a server that can name itself: the demo is reached on this machine. */
export function knownUrlOf(
  { publicUrl, mode, host, port }: Pick<Config, 'publicUrl' | 'mode' | 'host' | 'port'>,
  realm: { host: string | null },
): string | undefined {
  const own = mode === 'demo' ? `http://${host}:${port}` : undefined
  return publicUrlOf(publicUrl ?? own, realm)
}
