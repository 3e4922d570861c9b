import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
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

/**
 * Runs work in a transaction in which all reads see the same state. Its first statements are sent together with the
 * `begin`, so work must end only when all of its statements have ended.
 */
export function inSnapshot<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  return pipelined(db, async (open, send) => {
    const begun = send(sql`begin isolation level repeatable read`)
    const [result] = await undoneIfFailed(send, () => allDone([work(open), begun] as const))
    if (!(await sendCommit(send))) throw new Error('a statement of this snapshot failed, and was ignored')
    return result
  })
}

export async function undoneIfFailed<T>(send: Send, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await send(sql`rollback`).catch(() => {}) // without a connection, there is no transaction either
    throw error
  }
}

/** Whether the transaction was committed: after a failed statement, PostgreSQL answers a commit with a rollback. */
export async function sendCommit(send: Send): Promise<boolean> {
  const [ending] = await send<{ command: 'COMMIT' | 'ROLLBACK' }>(sql`commit`)
  return ending?.command === 'COMMIT'
}

/** Like Promise.all, but after a failure it waits for the others too: they use the same connection. */
export async function allDone<T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

const opened = new WeakMap<DatabaseConnection, Database>()

function onConnection(connection: DatabaseConnection): Database {
  const db = opened.get(connection) ?? open(connection)
  opened.set(connection, db)
  return db
}

function open(connection: DatabaseConnection): Database {
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
