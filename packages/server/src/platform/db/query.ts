import { type RawBuilder, sql } from 'kysely'
import type { Database, Db } from './pool.ts'

type Template = Parameters<typeof sql>
type Query<Result> = (...template: Template) => Promise<Result>

/** All rows: many<{ id: number; name: string }>(db)`select id, name from …`. */
export function many<Row>(db: Db): Query<Row[]> {
  return (...template) => read(db, sql<Row>(...template))
}

/** The first row of a query that always returns one. */
export function one<Row>(db: Db): Query<Row> {
  return async (...template) => {
    const [row] = await read(db, sql<Row>(...template))
    if (row === undefined) throw new Error('the query returned no row')
    return row
  }
}

export function maybeOne<Row>(db: Db): Query<Row | undefined> {
  return async (...template) => (await read(db, sql<Row>(...template)))[0]
}

/** The values of the only column: column<number>(db)`select id from …`. */
export function column<Value>(db: Db): Query<Value[]> {
  return async (...template) => {
    const rows = await read(db, sql<Record<string, Value>>(...template))
    return rows.map((row) => Object.values(row)[0]!)
  }
}

/** The same for Kysely's builder: columnOf(db.selectFrom('users').select('id')). */
export async function columnOf<Row extends object>(query: { execute(): Promise<Row[]> }): Promise<Row[keyof Row][]> {
  return (await query.execute()).map((row) => Object.values(row)[0])
}

/** Whether the query returns a row. */
export function exists(db: Db): Query<boolean> {
  return async (...template) => (await read(db, sql(...template))).length > 0
}

async function read<Row>(db: Db, query: RawBuilder<Row>): Promise<Row[]> {
  return (await query.execute(db as Database)).rows
}
