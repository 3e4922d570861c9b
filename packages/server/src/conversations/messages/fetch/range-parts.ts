import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column } from '../../../platform/db/query.ts'
import type { Narrow } from './narrow.ts'
import type { Search } from './search.ts'

/** A part of the range: up to `limit` messages from the anchor in one direction. */
export interface Part {
  anchor: number
  comparison: '<' | '=' | '>'
  direction: 'asc' | 'desc'
  limit: number
  /** The expected distance of the results from the anchor, in messages of the realm. */
  reach?: number
  /** The last id to look at. */
  end?: number
}

/** The ids of the parts in a channel or topic, as an array to use in another query. */
export function idsInChannel({ from, place }: Narrow, parts: Part[]): Fragment {
  const queries = parts.map((part) => {
    const near = sql`select m.id from ${from} where ${place} and ${beyond(part)} ${ordered(part, roundedUp(part.limit))}`
    return sql`(select id from (${near}) near limit ${part.limit})`
  })
  return sql`array(${sql.join(queries, sql` union all `)})`
}

/** The limits in statements; few, because each is another statement to plan. */
const limits = [16, 128, 1024, 8192]

/** A limit that is not a parameter: PostgreSQL uses a plan again only if it knows that it returns few rows. */
function roundedUp(limit: number): Fragment {
  return sql.lit(limits.find((most) => most >= limit)!)
}

/** The ids of a part, ordered by its direction. */
export async function findPart(db: Db, caller: Caller, narrow: Narrow, part: Part): Promise<number[]> {
  const { search, where } = narrow
  if (!search) return findPlace(db, caller, narrow, part)
  if (part.comparison === '=') return runPart(db, narrow, part, where!)
  return findWords(db, caller, { ...narrow, search }, part)
}

/** Below this share of matching messages, the search indexes are faster than scanning messages. */
const rare = 0.05
/** With a longer reach, finding its messages takes longer than reading all matches. */
const longestReach = 200_000

/**
 * Searches the messages near the anchor first. The share of matches there decides how to find the rest: by scanning on,
 * or by the search indexes. The planner cannot decide, because it has no statistics about parts of words.
 */
async function findWords(db: Db, caller: Caller, narrow: Narrow & { search: Search }, part: Part): Promise<number[]> {
  const found: number[] = []
  let scanned = 0
  let stretch: Part = { ...part, limit: 300 + part.limit }
  for (;;) {
    const near = await findPlace(db, caller, narrow, stretch)
    found.push(...(await findAmongNear(db, caller, narrow.search, near, part)))
    const missing = part.limit - found.length
    if (missing <= 0 || near.length < stretch.limit) return found.slice(0, part.limit)
    scanned += near.length
    const share = found.length / scanned
    stretch = nextStretch(near, stretch, Math.ceil((1.2 * missing) / share))
    if (share < rare) return [...found, ...(await findIndexed(db, caller, narrow, { ...stretch, limit: missing }))]
  }
}

/** Looks within the expected reach first, then farther, so that of all matches only the nearest are read. */
async function findIndexed(db: Db, caller: Caller, narrow: Narrow & { search: Search }, part: Part): Promise<number[]> {
  const { anchor, direction, limit, reach = longestReach } = part
  const end = direction === 'asc' ? anchor + reach : anchor - reach
  if (reach >= longestReach || end <= 0) return runIndexed(db, caller, narrow, part)
  const within = await runIndexed(db, caller, narrow, { ...part, end })
  if (within.length === limit) return within
  const rest = { ...part, anchor: end, limit: limit - within.length, reach: 4 * reach }
  return [...within, ...(await findIndexed(db, caller, narrow, rest))]
}

/** Starts where the last stretch ended. Estimates the reach from the density of the last stretch, with a margin. */
function nextStretch(near: number[], { comparison, direction }: Part, limit: number): Part {
  const reach = Math.ceil((1.2 * limit * Math.abs(near.at(-1)! - near[0]!)) / near.length)
  return { comparison, direction, anchor: near.at(-1)!, limit, reach }
}

async function findAmongNear(
  db: Db,
  { realm_id }: Caller,
  { check }: Search,
  near: number[],
  part: Part,
): Promise<number[]> {
  return column<number>(db)`
    select m.id from (
      select * from messages where realm_id = ${realm_id} and id = any(${near}::bigint[]) offset 0) m
     where ${check} ${ordered(part)}`
}

async function runIndexed(
  db: Db,
  { realm_id }: Caller,
  { joins, place, search }: Narrow & { search: Search },
  part: Part,
): Promise<number[]> {
  return column<number>(db)`
    select m.id from (
      select m.* from messages m where m.realm_id = ${realm_id} and ${search.indexed} and ${beyond(part)} offset 0) m
     ${joins} where ${place} ${ordered(part)}`
}

/**
 * Usually the results are near the anchor. If not, the caller receives only a small part of the realm's messages, and
 * scanning all of them could take very long. Then each conversation is queried separately.
 */
async function findPlace(db: Db, caller: Caller, narrow: Narrow, part: Part): Promise<number[]> {
  const { place, recipients } = narrow
  if (!recipients || part.comparison === '=') return runPart(db, narrow, part, place!)
  const { anchor, direction, limit, reach = 20 * limit + 500 } = part
  const close = await runClose(db, caller.realm_id, narrow, { ...part, reach })
  const missing = limit - close.length
  if (missing === 0 || (direction === 'desc' && anchor <= reach)) return close
  const farther = reach + Math.ceil((2 * missing * reach) / close.length)
  if (farther > limit * recipients.length) return runByConversation(db, narrow, part, recipients)
  const rest = { ...part, anchor: close.at(-1)!, limit: missing, reach: farther }
  return [...close, ...(await findPlace(db, caller, narrow, rest))]
}

/** Reads the messages in their order: many conversations would otherwise all be read up to the full distance. */
async function runClose(db: Db, realmId: number, { joins, place }: Narrow, part: Part): Promise<number[]> {
  return column<number>(db)`
    select m.id from (
      select m.* from messages m where m.realm_id = ${realmId} and ${beyond(part)} and ${closeTo(realmId, part)}
       order by m.id ${sql.raw(part.direction)} offset 0) m
     ${joins} where ${place} ${ordered(part)}`
}

function closeTo(realmId: number, { anchor, direction, reach = 0 }: Part): Fragment {
  if (direction === 'asc') return sql`m.id <= ${anchor + reach}`
  const end = sql`select last_message from realm_counters where realm_id = ${realmId}`
  return sql`m.id >= least(${anchor}::bigint, (${end})) - ${reach}::bigint`
}

async function runPart(db: Db, { from }: Narrow, part: Part, where: Fragment): Promise<number[]> {
  return column<number>(db)`
    select m.id from ${from} where ${where} and ${beyond(part)} ${ordered(part)}`
}

async function runByConversation(db: Db, { from, place }: Narrow, part: Part, recipients: number[]): Promise<number[]> {
  return column<number>(db)`
    select m.id from unnest(${recipients}::bigint[]) r(recipient_id)
     cross join lateral (
       select m.id from ${from} where m.recipient_id = r.recipient_id and ${place} and ${beyond(part)} ${ordered(part)}) m
     ${ordered(part)}`
}

function beyond({ anchor, comparison, direction, end }: Part): Fragment {
  const beyondAnchor = sql`m.id ${sql.raw(comparison)} ${anchor}`
  if (end === undefined) return beyondAnchor
  return sql`${beyondAnchor} and m.id ${sql.raw(direction === 'asc' ? '<=' : '>=')} ${end}`
}

function ordered({ direction, limit }: Part, most: Fragment | number = limit): Fragment {
  return sql`order by m.id ${sql.raw(direction)} limit ${most}`
}
