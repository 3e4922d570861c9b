import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { NamedStatements } from './named-statements.ts'
import type { DB } from './tables.generated.ts'

/** Reads and writes: the pool, or an open transaction. */
export type Database = Kysely<DB>
/** Only reads. Functions that write take `Tx`, or `Database` where there are no events to emit. */
export type Db = Pick<Database, 'selectFrom'>

// Ids and counts stay far below 2^53, so plain numbers are safe and simpler.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const int8Array = 1016 as never // missing from the names of the builtins
pg.types.setTypeParser(int8Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))

export interface PoolOptions {
  url: string
  max?: number
  log: (message: string) => void
}

export function createPool({ url, max = 20, log }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 3000,
    keepAlive: true,
    application_name: 'parley',
    statement_timeout: 5000,
    lock_timeout: 3000,
    idle_in_transaction_session_timeout: 10_000,
  })
  // An idle connection that breaks (PostgreSQL restarted) is replaced on the next use.
  pool.on('error', (error) => pool.ending || log(`database connection lost: ${error.message}`))
  // A connection in use fails its query; without a listener, the same error would also end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Whether the database answers a query. */
export function answers(pool: pg.Pool): Promise<boolean> {
  return pool.query('select 1').then(
    () => true,
    () => false,
  )
}

export function createDatabase(pool: pg.Pool): Database {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: new NamedStatements(pool) }) })
}
