import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { newWorld } from '../../testing/world.ts'
import { createDatabase, createPool, type Database } from './pool.ts'
import { column } from './query.ts'

/** A database with one connection. */
async function oneConnection(t: TestContext): Promise<Database> {
  const { ctx } = await newWorld()
  const pool = createPool({ url: ctx.pool.options.connectionString!, max: 1, log: () => {} })
  t.after(() => pool.end())
  return createDatabase(pool)
}

async function repeat(times: number, act: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n++) await act(n)
}

function prepared(db: Database, part: string): Promise<string[]> {
  return column<string>(db)`select name from pg_prepared_statements where statement like ${`%${part}%`}`
}

test('a statement is prepared once it was used ten times', async (t) => {
  const db = await oneConnection(t)
  const ask = () => sql`select 'something' where ${1}::integer = 1`.execute(db)
  await repeat(9, ask)
  assert.equal((await prepared(db, 'something')).length, 0)
  await repeat(3, ask)
  assert.equal((await prepared(db, 'something')).length, 1)
})

test('at most 250 statements are prepared', async (t) => {
  const db = await oneConnection(t)
  await repeat(300, (n) => repeat(10, () => sql`select ${sql.lit(n)} as many`.execute(db)))
  assert.equal((await prepared(db, 'many')).length, 250)
})

test('a prepared statement still works after its table has changed', async (t) => {
  const db = await oneConnection(t)
  await sql`create temporary table changing as select 1 as a`.execute(db)
  const ask = () => sql`select * from changing`.execute(db)
  await repeat(20, ask)
  await sql`alter table changing add b integer`.execute(db)
  assert.deepEqual((await ask()).rows, [{ a: 1, b: null }])
  await repeat(20, ask)
  assert.equal((await prepared(db, 'from changing')).length, 2)
})
