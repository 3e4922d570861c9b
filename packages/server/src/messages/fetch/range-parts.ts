import { sql } from 'kysely'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column } from '../../platform/db/query.ts'
import type { Caller } from '../../users/caller.ts'
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
}

/** The ids of a part, ordered by its direction. */
export async function findPart(db: Db, caller: Caller, narrow: Narrow, part: Part): Promise<number[]> {
  const { search, where } = narrow
  if (!search) return findPlace(db, caller, narrow, part)
  if (part.comparison === '=') return runPart(db, narrow, part, where!)
  return findWords(db, caller, { ...narrow, search }, part)
}

/** Below this share of matching messages, the search index is faster than scanning messages. */
const rare = 0.02

/**
 * Searches the messages near the anchor first. The share of matches there decides how to find the rest: by scanning on,
 * or by the search indexes. The planner cannot decide, because it has no statistics about parts of words.
 */
async function findWords(db: Db, caller: Caller, narrow: Narrow & { search: Search }, part: Part): Promise<number[]> {
  const found: number[] = []
  let scanned = 0
  let stretch: Part = { ...part, limit: 1000 + part.limit }
  for (;;) {
    const near = await findPlace(db, caller, narrow, stretch)
    found.push(...(await findAmongNear(db, caller, narrow.search, near, part)))
    if (found.length >= part.limit || near.length < stretch.limit) return found.slice(0, part.limit)
    scanned += near.length
    const share = found.length / scanned
    if (share < rare) return runIndexed(db, caller, narrow, part)
    stretch = nextStretch(near, stretch, Math.ceil((1.2 * (part.limit - found.length)) / share))
  }
}

/** Starts where the last stretch ended. Estimates the reach from the density of the last stretch. */
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
async function findPlace(db: Db, { realm_id }: Caller, narrow: Narrow, part: Part): Promise<number[]> {
  const { place, recipients } = narrow
  if (!recipients || part.comparison === '=') return runPart(db, narrow, part, place!)
  const close = await runPart(db, narrow, part, sql`${place} and ${closeTo(realm_id, part)}`)
  return close.length < part.limit ? runByConversation(db, narrow, part, recipients) : close
}

/** Limits the distance from the anchor to a multiple of the requested number of messages. */
function closeTo(realmId: number, { anchor, limit, direction, reach: expected }: Part): Fragment {
  const reach = sql.lit(expected ?? 20 * limit + 500)
  if (direction === 'asc') return sql`m.id <= ${anchor}::bigint + ${reach}`
  const end = sql`select last_message from realm_counters where realm_id = ${realmId}`
  return sql`m.id >= least(${anchor}::bigint, (${end})) - ${reach}`
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

function beyond({ anchor, comparison }: Part): Fragment {
  return sql`m.id ${sql.raw(comparison)} ${anchor}`
}

function ordered({ direction, limit }: Part): Fragment {
  return sql`order by m.id ${sql.raw(direction)} limit ${limit}`
}
