import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isStalePlan } from './db-errors.ts'
import { statementsOf } from './driver-parts.ts'

const slowMilliseconds = 500
/** A statement used this often gets a name. */
const minUses = 10
/** Each connection keeps a plan for each name, so their number bounds the memory of PostgreSQL. */
const maxNames = 250
/** How many texts are counted. Lists of varying length would otherwise produce ever more of them. */
const maxCounted = 2000

interface Named {
  name: string
  /** Less than `maxNames`: a connection has at most one prepared statement in each place. */
  place: number
  uses: number
}

/**
 * A pool that names the statements that are used repeatedly: PostgreSQL parses a named statement once per connection, and
 * plans it again only where the parameters matter. Planning takes longer than execution for most of our statements.
 */
export class NamedStatements implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  readonly #named = new Map<string, Named>()
  readonly #uses = new Map<string, number>()
  readonly #slow: (() => void) | undefined
  #lastName = 0

  constructor(pool: pg.Pool, slow?: () => void) {
    this.#pool = pool
    this.#slow = slow
  }

  get options(): object {
    return this.#pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#pool.connect()
    const known = this.#clients.get(client)
    if (known) return known
    const prepared = new Prepared(client)
    const query = (text: string, values: unknown[]) => this.#timed(() => this.#query(client, prepared, text, values))
    const release = (destroy?: boolean) => client.release(destroy)
    // The other form of `query`, with a cursor, is only for streams, which we do not use.
    const naming = { query, release } as unknown as PostgresPoolClient
    this.#clients.set(client, naming)
    return naming
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  async #timed(query: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
    const start = performance.now()
    const result = await query()
    if (performance.now() - start >= slowMilliseconds) this.#slow?.()
    return result
  }

  async #query(client: pg.PoolClient, prepared: Prepared, text: string, values: unknown[]): Promise<pg.QueryResult> {
    const named = this.#use(text)
    if (named === undefined) return client.query(text, values)
    prepared.makeRoom(named)
    try {
      return await client.query({ name: named.name, text, values })
    } catch (error) {
      if (!isStalePlan(error)) throw error
      this.#named.clear() // the schema has changed, and names cannot be used again
      if (client.getTransactionStatus() !== 'I') throw error // the transaction has failed and is retried as a whole
      return await client.query(text, values)
    }
  }

  #use(text: string): Named | undefined {
    const named = this.#named.get(text)
    if (named) named.uses++
    return named ?? (this.#count(text) < minUses ? undefined : this.#add(text))
  }

  #count(text: string): number {
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (this.#uses.size >= maxCounted) this.#uses.clear()
    this.#uses.set(text, uses)
    return uses
  }

  #add(text: string): Named {
    const place = this.#named.size < maxNames ? this.#named.size : this.#takePlace()
    const named = { name: `parley_${++this.#lastName}`, place, uses: minUses }
    this.#named.set(text, named)
    this.#uses.delete(text)
    return named
  }

  /** Takes the name from the statement that is used least. Uses count half as much each time. */
  #takePlace(): number {
    const [least] = [...this.#named].sort(([, a], [, b]) => a.uses - b.uses)
    for (const named of this.#named.values()) named.uses /= 2
    const [text, { place }] = least!
    this.#named.delete(text)
    return place
  }
}

/** What a connection has prepared. */
class Prepared {
  readonly #client: pg.PoolClient
  readonly #names: string[] = []

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  /** Removes the statement that had the place before. It is sent together with the next one, which does not wait for it. */
  makeRoom({ name, place }: Named): void {
    const former = this.#names[place]
    if (former === name) return
    this.#names[place] = name
    const parsedStatements = statementsOf(this.#client)
    if (former === undefined || !Object.hasOwn(parsedStatements, former)) return
    Reflect.deleteProperty(parsedStatements, former)
    this.#client.query(`deallocate ${former}`).catch(() => {}) // the next statement fails for the same reason
  }
}
