import { lookup } from '@parley/api/lookup'
import { sql } from 'kysely'
import type { Fragment } from './fragment.ts'

export type ColumnType = keyof Values

interface Values {
  bigint: number | null
  integer: number | null
  boolean: boolean | null
  text: string | null
  bytea: Buffer | null
  jsonb: string | null
}
export type ValueOf<Type extends ColumnType> = Values[Type]

/**
 * Values as rows, for `from`: valueRows('k', [{ id: 7 }], { id: 'bigint' }) is unnest('{7}'::bigint[]) as k(id). Any number
 * of rows has the same text, so that they share a prepared statement.
 */
export function valueRows<Column extends string>(
  alias: string,
  rows: readonly Record<NoInfer<Column>, unknown>[],
  types: Record<Column, ColumnType>,
): Fragment {
  const columns = Object.entries<ColumnType>(types)
  const arrays = columns.map(([name, type]) => sql`${rows.map((row) => lookup(row, name))}::${sql.raw(type)}[]`)
  return sql`unnest(${sql.join(arrays)}) as ${sql.ref(alias)}(${sql.join(columns.map(([name]) => sql.ref(name)))})`
}
