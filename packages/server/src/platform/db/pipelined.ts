import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Database } from './pool.ts'
import type { DB } from './tables.generated.ts'

/**
 * Runs work in an open transaction without waiting for one statement before the next is sent: statements that are
 * executed concurrently take one round trip together. Work must end only when all of them have ended.
 */
export function pipelined<T>(transaction: Database, work: (db: Database) => Promise<T>): Promise<T> {
  return transaction.getExecutor().provideConnection((connection) => work(onConnection(connection)))
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
