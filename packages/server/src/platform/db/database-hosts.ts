import pg from 'pg'

/** Long enough for a busy machine: programs connect to it while they load. */
const connectMilliseconds = 15_000

/** Splits a URL with several hosts, as `postgres://user@a:5432,b:5433/parley`, into one URL for each of them. */
export function urlsOf(url: string): string[] {
  // Not linear: only for the URL that the operator has configured.
  const [, start, hosts, rest] = /^([^:]+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/.exec(url) ?? []
  return hosts?.includes(',') ? hosts.split(',').map((host) => `${start}${host}${rest}`) : [url]
}

/** The server is a standby, or became one. The code makes it a connection error, so that clients retry. */
export class ReadOnlyServer extends Error {
  readonly code = '08004'

  constructor() {
    super('the server only allows reading')
  }
}

/** The hosts of a connection URL. One of them accepts writes; after a failure, the next connection tries another. */
export class DatabaseHosts {
  readonly #urls: string[]
  #current = 0

  constructor(url: string) {
    this.#urls = urlsOf(url)
  }

  get count(): number {
    return this.#urls.length
  }

  get current(): string {
    return this.#urls[this.#current]!
  }

  /** Only the first of several connections that fail at once moves on. */
  failed(url: string): void {
    if (url === this.current) this.#current = (this.#current + 1) % this.#urls.length
  }
}

/** A connection to the first host that accepts writes. Throws the error of the first host if there is none. */
export async function connectToPrimary(url: string): Promise<pg.Client> {
  const errors: unknown[] = []
  for (const one of urlsOf(url)) {
    const client = new pg.Client({ connectionString: one, connectionTimeoutMillis: connectMilliseconds })
    client.on('error', () => {})
    try {
      await client.connect()
      checkWritable((await client.query<ReadOnly>(readOnly)).rows[0]!)
      return client
    } catch (error) {
      errors.push(error)
      await client.end().catch(() => {})
    }
  }
  throw errors[0]
}

export interface ReadOnly {
  transaction_read_only: string
}

export const readOnly = 'show transaction_read_only'

export function checkWritable({ transaction_read_only }: ReadOnly): void {
  if (transaction_read_only === 'on') throw new ReadOnlyServer()
}
