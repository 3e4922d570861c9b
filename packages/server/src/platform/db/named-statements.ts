import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isStalePlan } from './db-errors.ts'

/** A statement used this often gets a name. */
const minUses = 10
/** Each connection keeps a plan for each name, so their number bounds the memory of PostgreSQL. */
const maxNames = 250
/** How many texts are counted. Lists of varying length would otherwise produce ever more of them. */
const maxCounted = 2000

/**
 * A pool that names the statements that are used repeatedly: PostgreSQL parses a named statement once per connection, and
 * plans it again only where the parameters matter. Planning takes longer than execution for most of our statements.
 */
export class NamedStatements implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  readonly #names = new Map<string, string>()
  readonly #uses = new Map<string, number>()
  #generation = 0

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  get options(): object {
    return this.#pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#pool.connect()
    const known = this.#clients.get(client)
    if (known) return known
    const query = (text: string, values: unknown[]) => this.#query(client, text, values)
    const release = (destroy?: boolean) => client.release(destroy)
    // The other form of `query`, with a cursor, is only for streams, which we do not use.
    const naming = { query, release } as unknown as PostgresPoolClient
    this.#clients.set(client, naming)
    return naming
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  async #query(client: pg.PoolClient, text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = this.#nameOf(text)
    if (name === undefined) return client.query(text, values)
    try {
      return await client.query({ name, text, values })
    } catch (error) {
      if (!isStalePlan(error)) throw error
      this.#renameAll()
      if (client.getTransactionStatus() !== 'I') throw error // the transaction has failed and is retried as a whole
      return await client.query(text, values)
    }
  }

  #nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size >= maxNames) return name
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses >= minUses) return this.#add(text)
    if (this.#uses.size >= maxCounted) this.#uses.clear()
    this.#uses.set(text, uses)
    return undefined
  }

  #add(text: string): string {
    const name = `parley_${this.#generation}_${this.#names.size}`
    this.#names.set(text, name)
    this.#uses.delete(text)
    return name
  }

  /** After a change of the schema: the connections still have the old statements, so new ones need other names. */
  #renameAll(): void {
    this.#generation++
    this.#names.clear()
  }
}
