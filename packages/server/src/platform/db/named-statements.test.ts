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

test('at most 250 statements are prepared: those that are used most', async (t) => {
  const db = await oneConnection(t)
  const ask = (n: number) => sql`select ${sql.lit(n)} as many`.execute(db)
  await repeat(20, () => ask(-1))
  await repeat(300, (n) => repeat(12, () => ask(n)))
  assert.equal((await prepared(db, 'many')).length, 250)
  assert.equal((await prepared(db, 'select -1 as many')).length, 1, 'a statement that was used more often')
  assert.equal((await prepared(db, 'select 299 as many')).length, 1, 'a new statement')
})

test('a statement that is no longer used makes room for another', async (t) => {
  const db = await oneConnection(t)
  const ask = (n: number) => sql`select ${sql.lit(n)} as many`.execute(db)
  await repeat(250, (n) => repeat(12, () => ask(n)))
  await repeat(20, () => repeat(249, (n) => ask(n + 1)))
  await db.transaction().execute((tx) => repeat(12, () => sql`select 'in between'`.execute(tx)))
  assert.equal((await prepared(db, 'in between')).length, 1)
  assert.equal((await prepared(db, 'select 0 as many')).length, 0)
  assert.deepEqual((await ask(0)).rows, [{ many: 0 }])
})

test('a prepared statement still works after its table has changed', async (t) => {
  const db = await oneConnection(t)
  await sql`create temporary table changing as select 1 as a`.execute(db)
  const ask = () => sql`select * from changing`.execute(db)
  await repeat(20, ask)
  await sql`alter table changing add b integer`.execute(db)
  assert.deepEqual((await ask()).rows, [{ a: 1, b: null }])
  await repeat(20, ask)
  assert.equal((await prepared(db, 'from changing')).length, 1)
})
