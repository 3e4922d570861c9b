import { type Expression, type ExpressionBuilder, type SelectType, type SqlBool, sql } from 'kysely'
import type { DB } from './tables.generated.ts'

type Scalar = string | number | boolean | Date | Buffer | null
type Match<Value> = Value extends Scalar ? Value | readonly NonNullable<Value>[] : never
type MatchIn<Table, Column> = Column extends keyof Table ? Match<SelectType<Table[Column]>> : never
type TablesFor<Values> = {
  [Table in keyof DB]: Values extends { [Column in keyof Values]: MatchIn<DB[Table], Column> } ? Table : never
}[keyof DB]

/**
 * A condition for Kysely's `where`: each column has the value, or one of the values. A list is a single parameter, so that
 * lists of any length share a prepared statement; booleans and null are literals, so that partial indexes apply.
 */
export function matches<Values extends object>(
  values: Values,
): <Table extends TablesFor<Values>>(is: ExpressionBuilder<DB, Table>) => Expression<SqlBool> {
  return (is) => is.and(Object.entries(values).map(([column, value]) => condition(column, value)))
}

function condition(column: string, value: unknown): Expression<SqlBool> {
  const name = sql.ref(column)
  if (value === null) return sql`${name} is null`
  if (typeof value === 'boolean') return value ? sql`${name}` : sql`not ${name}`
  return Array.isArray(value) ? sql`${name} = any(${value})` : sql`${name} = ${value}`
}
