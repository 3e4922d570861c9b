import { largestAnchor } from '@parley/api/conversations/messages'
import type { Caller } from '../../../callers/caller.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { findFirstSince } from './first-since.ts'
import { findFirstUnread } from './first-unread.ts'
import type { Narrow } from './narrow.ts'
import type { Selection } from './page-rows.ts'
import { findPart, idsInChannel, type Part } from './range-parts.ts'

export interface Range {
  /** A date stands for the first message at or after it. */
  anchor: number | 'newest' | 'oldest' | 'first_unread' | Date
  include_anchor: boolean
  num_before: number
  num_after: number
}

interface Ends {
  anchor: number
  found_anchor: boolean
  found_oldest: boolean
  found_newest: boolean
}

export interface Page extends Ends {
  ids: number[]
}

const maxMessages = 5000

export function checkRange({ num_before, num_after, include_anchor }: Omit<Range, 'anchor'>): void {
  if (num_before + num_after > maxMessages) throw new ApiError(`Too many messages requested (maximum ${maxMessages}).`)
  if (!include_anchor && num_before > 0 && num_after > 0)
    throw new ApiError('The anchor can only be excluded at an end of the range')
}

/** The ids around an anchor, ascending, and whether they reach the ends of the narrow. */
export async function findPage(db: Db, caller: Caller, narrow: Narrow, range: Range): Promise<Page> {
  const anchor = await anchorOf(db, caller, narrow, range.anchor)
  const ids = narrow.where ? await findIds(db, caller, narrow, partsOf(anchor, range)) : []
  return { ids, ...endsOf(narrow, ids, anchor, range) }
}

/** The same for reading these messages: as a query where that saves a statement. */
export async function selectPage(
  db: Db,
  caller: Caller,
  narrow: Narrow,
  range: Range,
): Promise<{ anchor: number; ids: Selection }> {
  const anchor = await anchorOf(db, caller, narrow, range.anchor)
  if (!narrow.where) return { anchor, ids: [] }
  const parts = partsOf(anchor, range)
  return {
    anchor,
    ids: narrow.isChannelOrTopic ? idsInChannel(narrow, parts) : await findIds(db, caller, narrow, parts),
  }
}

/** Whether the messages around the anchor reach the ends of the narrow. */
export function endsOf({ where }: Narrow, ids: number[], anchor: number, { num_before, num_after }: Range): Ends {
  const before = ids.filter((id) => id < anchor).length
  const after = ids.filter((id) => id > anchor).length
  return {
    anchor,
    found_anchor: ids.includes(anchor),
    found_oldest: !where || anchor === 0 || before < num_before,
    found_newest: !where || anchor === largestAnchor || after < num_after,
  }
}

async function anchorOf(db: Db, caller: Caller, narrow: Narrow, anchor: Range['anchor']): Promise<number> {
  if (anchor === 'newest') return largestAnchor
  if (anchor === 'oldest') return 0
  if (anchor === 'first_unread') return findFirstUnread(db, caller, narrow)
  if (anchor instanceof Date) return findFirstSince(db, caller, narrow, anchor)
  return Math.min(Math.max(anchor, 0), largestAnchor)
}

/** The parts before, at and after the anchor. If neither side is requested, only the anchor is. */
function partsOf(anchor: number, { include_anchor, num_before, num_after }: Range): Part[] {
  const before: Part = { anchor, comparison: '<', direction: 'desc', limit: num_before }
  const after: Part = { anchor, comparison: '>', direction: 'asc', limit: num_after }
  const sides = [...(anchor > 0 ? [before] : []), ...(anchor < largestAnchor ? [after] : [])].filter(
    ({ limit }) => limit > 0,
  )
  const includesAnchor = sides.length === 0 || (include_anchor && anchor > 0 && anchor < largestAnchor)
  return includesAnchor ? [...sides, { anchor, comparison: '=', direction: 'asc', limit: 1 }] : sides
}

async function findIds(db: Db, caller: Caller, narrow: Narrow, parts: Part[]): Promise<number[]> {
  const ids: number[] = []
  for (const part of parts) ids.push(...(await findPart(db, caller, narrow, part)))
  return ids.sort((a, b) => a - b)
}

/** The ids that match the narrow. */
export async function findAmong(db: Db, { where, from }: Narrow, ids: number[]): Promise<number[]> {
  if (!where) return []
  return column<number>(db)`
    select m.id from ${from} where ${where} and m.id = any(${ids}::bigint[]) order by m.id`
}
