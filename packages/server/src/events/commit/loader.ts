import { lookup } from '@parley/api/lookup'
import type { RawBuilder } from 'kysely'
import { batched } from '../../platform/batch-loader.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { type ColumnType, type ValueOf, valueRows } from '../../platform/db/value-rows.ts'

/** Where a statement is executed: in a transaction that acts may share, or alone. */
export interface Scope {
  db: Db
  realmId: number
  /** Of acts that share the transaction. */
  loads?: Loads
}

type Load = (keys: object[]) => Promise<object[]>
/** What collects the keys of each statement. */
export type Loads = Map<object, Load>

type Columns = Record<string, ColumnType>
type Key<C extends Columns> = { [Name in keyof C]: ValueOf<C[Name]> }

/**
 * A statement about rows `k` of keys with these columns. Acts that share a transaction and execute it in the same turn do so
 * together, but each sees only its own keys and rows. A row belongs to the keys with which it agrees in the columns that both
 * have; `k.place` numbers the acts. Rows without such columns belong to all. The order among other statements of the turn is
 * not defined.
 */
export function loader<C extends Columns, Row extends object>(
  columns: C,
  statement: (scope: { realmId: number }, k: Fragment) => RawBuilder<Row>,
): (scope: Scope, keys: Key<C> | Key<C>[]) => Promise<Row[]> {
  const execute = (scope: Scope, acts: object[][]) => executeFor(columns, statement, scope, acts)
  return async ({ loads, ...scope }, wanted) => {
    const keys = [wanted].flat() as object[]
    if (keys.length === 0) return []
    if (!loads) return (await execute(scope, [keys]))[0]! as Row[]
    const load =
      loads.get(statement) ?? batched((acts: object[][]) => execute(scope, acts), { defer: process.nextTick })
    loads.set(statement, load)
    return (await load(keys)) as Row[]
  }
}

/** Executes the statement for several acts and returns the rows of each. */
async function executeFor(
  columns: Columns,
  statement: (scope: { realmId: number }, k: Fragment) => RawBuilder<object>,
  { db, realmId }: Scope,
  acts: object[][],
): Promise<object[][]> {
  const keys = acts.flatMap((own, place) => own.map((key) => ({ ...key, place })))
  const withPlace: Columns = { ...columns, place: 'integer' }
  // The row types of these statements are not compared with the database (testing/row-types), unlike those of query.ts.
  const result = await statement({ realmId }, valueRows('k', keys, withPlace)).execute(db as Database)
  const rows = result.rows as Record<string, unknown>[]
  if (acts.length === 1 || rows.length === 0) return acts.map(() => rows)
  const first = rows[0]!
  const names = Object.hasOwn(first, 'place')
    ? ['place']
    : Object.keys(columns).filter((name) => Object.hasOwn(first, name))
  const nameOf = (row: Record<string, unknown>) =>
    names.length === 1 ? lookup(row, names[0]!) : JSON.stringify(names.map((name) => lookup(row, name)))
  const found = Map.groupBy(rows, nameOf)
  return acts.map((own, place) => {
    const wanted = new Set(own.map((key) => nameOf({ ...key, place })))
    return [...wanted].flatMap((name) => found.get(name) ?? [])
  })
}
