import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { reasonOf, StartupError } from '../../postgres/startup-error.ts'
import { isConflict, isLockTimeout } from '../db-errors.ts'

export interface Migration {
  name: string
  sql: string
  checksum: string
}

export interface MigrationTiming {
  /** How long a migration waits for a lock. Every statement that needs the same table waits behind it. */
  lockMilliseconds: number
  /** Until the next attempt, so that what has waited is done first. */
  pauseMilliseconds: number
  attempts: number
}

/** Ten minutes: longer than any transaction of a server, and most of those of people. */
export const usualTiming: MigrationTiming = { lockMilliseconds: 2000, pauseMilliseconds: 2000, attempts: 150 }

/**
 * Applies a migration while servers of the previous release may be running. What deadlocks with one of their transactions,
 * or does not get a lock soon, is rolled back and repeated, so that nobody waits for long behind a long transaction.
 */
export async function applyAmongOthers(
  client: pg.PoolClient,
  migration: Migration,
  timing: MigrationTiming,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await (isConcurrent(migration) ? applyConcurrently(client, migration) : apply(client, migration, timing))
    } catch (error) {
      if (attempt === timing.attempts || !(isLockTimeout(error) || isConflict(error))) throw failure(migration, error)
      await sleep(timing.pauseMilliseconds)
    }
  }
}

async function apply(
  client: pg.PoolClient,
  migration: Migration,
  { lockMilliseconds }: MigrationTiming,
): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockMilliseconds}`)
    await client.query(migration.sql)
    await record(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

function isConcurrent({ name }: Migration): boolean {
  return name.endsWith('.concurrent.sql')
}

/**
 * Statements that PostgreSQL allows only outside of a transaction, such as `create index concurrently`. They can be repeated
 * after any interruption: check:migrations demands that each index is dropped, if it exists, before it is created.
 */
async function applyConcurrently(client: pg.PoolClient, migration: Migration): Promise<void> {
  for (const statement of statementsIn(migration.sql)) await client.query(statement)
  await record(client, migration)
}

/** Comments stand on lines of their own, and statements end at the end of a line. */
export function statementsIn(sql: string): string[] {
  const lines = sql.split('\n').filter((line) => !line.trimStart().startsWith('--'))
  const statements = lines.join('\n').split(/;\n/)
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

async function record(client: pg.PoolClient, { name, checksum }: Migration): Promise<void> {
  await client.query('insert into migrations (name, checksum, pending) values ($1, $2, true)', [name, checksum])
}

function failure({ name }: Migration, error: unknown): StartupError {
  if (isLockTimeout(error))
    return new StartupError(
      `Migration ${name} changed nothing, because a transaction held a lock through all attempts; a server of the version before can keep running. Find the transaction in pg_stat_activity, end it, and start this version again.`,
      { cause: error },
    )
  return new StartupError(
    `Migration ${name} failed (${reasonOf(error)}) and changed nothing; a server of the version before can keep running. Fix the cause, or report it as a bug, and start this version again.`,
    { cause: error },
  )
}
