import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import type { DB } from '../../platform/db/tables.generated.ts'
import { unixSeconds } from '../../platform/text.ts'
import type { Scope } from './scope.ts'

export type Lines = AsyncGenerator<object>

/** A file of the export that is created from rows, and the tables they come from. */
export interface Section {
  tables: (keyof DB)[]
  lines(db: Db, scope: Scope): Lines
}

export const pageSize = 1000

/** Reads a query with a cursor, so that only one page is in memory. Needs a transaction; one query at a time. */
export async function* rowsOf<Row extends object>(db: Db, query: RawBuilder<Row>): AsyncGenerator<Row> {
  await many(db)`declare exported no scroll cursor for ${query}`
  for (let length = pageSize; length === pageSize; ) {
    const rows = await many<Row>(db)`fetch forward ${sql.lit(pageSize)} from exported`
    yield* rows
    length = rows.length
  }
  await many(db)`close exported`
}

/** A condition for the rows of table `t` that belong in an export. */
type Which = (scope: Scope) => RawBuilder<unknown>

export const everything: Which = () => sql`true`
export const ofChannels: Which = ({ channels }) => sql`t.channel_id = any(${channels}::bigint[])`
/** Personal data of users who consented. */
export const ofConsenting: Which = ({ consenting }) => sql`t.user_id = any(${consenting}::bigint[])`
/** Data of a bot counts as data of its owner. */
export const ofTheirBots: Which = ({ realmId, isFull, limit, consenting }) => sql`
  (${isFull && !limit} or t.bot_id in (select id from users where realm_id = ${realmId} and bot_owner_id = any(${consenting}::bigint[])))`

/** Exports the given columns unchanged, ordered by the first two. */
export function plain(table: keyof DB, columns: string[], which: Which): Section {
  const shown = columns.map((name) => sql.ref(`t.${name}`))
  return {
    tables: [table],
    async *lines(db, scope) {
      const query = sql<object>`
        select ${sql.join(shown)} from ${sql.table(table)} t
         where t.realm_id = ${scope.realmId} and ${which(scope)} order by ${sql.join(shown.slice(0, 2))}`
      for await (const row of rowsOf(db, query)) yield withUnixTimes(row)
    },
  }
}

export function withUnixTimes(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? unixSeconds(value) : value]),
  )
}
