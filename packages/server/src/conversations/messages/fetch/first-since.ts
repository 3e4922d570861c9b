import { largestAnchor } from '@parley/api/conversations/messages'
import type { Caller } from '../../../callers/caller.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import type { Narrow } from './narrow.ts'
import { findPart } from './range-parts.ts'

/** A day, or a time with or without a time zone; without, it is in UTC. */
const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?$/

export function readAnchorDate(text: string | undefined): Date {
  if (text === undefined) throw new ApiError("Missing 'anchor_date' argument.")
  const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(text.slice(10))
  const date = new Date(text.length > 10 && !hasZone ? `${text}Z` : text)
  if (!iso.test(text) || Number.isNaN(date.getTime())) throw new ApiError('anchor_date is not a date in ISO 8601.')
  return date
}

/** The first message of the narrow at or after a time, or an anchor above every id. */
export async function findFirstSince(db: Db, caller: Caller, narrow: Narrow, since: Date): Promise<number> {
  if (!narrow.where) return largestAnchor
  const anchor = (await findIdSince(db, caller.realm_id, since)) - 1
  const [id] = await findPart(db, caller, narrow, { anchor, comparison: '>', direction: 'asc', limit: 1 })
  return id ?? largestAnchor
}

/** Where the messages of the realm at or after a time begin. Ids ascend with time, so halving finds it without an index. */
async function findIdSince(db: Db, realmId: number, since: Date): Promise<number> {
  const { id } = await one<{ id: number }>(db)`
    with recursive steps (low, high) as (
      select 0::bigint, last_message + 1 from realm_counters where realm_id = ${realmId}
      union all
      select case when probe.date_sent < ${since} then probe.id + 1 else low end,
             case when probe.date_sent < ${since} then high else (low + high) / 2 end
        from steps
        left join lateral (
          select m.id, m.date_sent from messages m
           where m.realm_id = ${realmId} and m.id >= (low + high) / 2 and m.id < high order by m.id limit 1) probe on true
       where low < high)
    select low as id from steps where low >= high`
  return id
}
