import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import type { Database } from './pool.ts'
import type { DB } from './tables.generated.ts'

/** Sends a statement at once, so that statements arrive in the order of the calls. */
export type Send = <Row>(statement: RawBuilder<Row>) => Promise<Row[]>

/**
 * Runs work on one connection, or in an open transaction, without waiting for one statement before the next is sent:
 * statements that are executed concurrently take one round trip together. Work must end only when all of them have ended.
 */
export function pipelined<T>(db: Database, work: (db: Database, send: Send) => Promise<T>): Promise<T> {
  return db.getExecutor().provideConnection((connection) => {
    const open = onConnection(connection)
    return work(open, async (statement) => (await connection.executeQuery(statement.compile(open))).rows as never)
  })
}

/** Like Promise.all, but after a failure it waits for the others too: they use the same connection. */
export async function allDone<T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

function onConnection(connection: DatabaseConnection): Database {
  return new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new OpenConnection(connection),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** A connection that belongs to an open transaction. */
class OpenConnection implements Driver {
  readonly #connection: DatabaseConnection

  constructor(connection: DatabaseConnection) {
    this.#connection = connection
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    throw new Error('a transaction is open already')
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
