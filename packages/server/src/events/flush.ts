import { sql } from 'kysely'
import { batched } from '../platform/batch-loader.ts'
import type { Database } from '../platform/db/pool.ts'

const flushes = new WeakMap<Database, (nothing: null) => Promise<null>>()

/**
 * Waits until every transaction that has committed so far survives a crash. One flush serves all that wait for it; those
 * who come while it is going on wait for the next one.
 */
export async function flushed(db: Database): Promise<void> {
  const flush = flushes.get(db) ?? batched((waiting) => writeDurably(db, waiting), { isSequential: true })
  flushes.set(db, flush)
  await flush(null)
}

/** The commit of any later transaction flushes what was committed before, also to a synchronous standby. */
async function writeDurably(db: Database, waiting: null[]): Promise<null[]> {
  await sql`select pg_logical_emit_message(true, 'parley', '')`.execute(db)
  return waiting
}
