import { type RawBuilder, sql } from 'kysely'

/** A SQL fragment to build queries from. */
export type Fragment = RawBuilder<unknown>

/** A SQL expression such as `s.user_id`, or a value to bind. */
export type Operand = Fragment | number

/** Whether the column equals one of the ids, in the form for which the planner picks an index. */
export function oneOf(column: Fragment, ids: number[]): Fragment {
  if (ids.length === 0) return sql`false`
  return ids.length === 1 ? sql`${column} = ${ids[0]!}` : sql`${column} = any(${ids}::bigint[])`
}
