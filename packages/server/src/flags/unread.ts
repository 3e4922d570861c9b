import { type RawBuilder, sql } from 'kysely'
import { flagBits } from '../messages/model/flag-bits.ts'
import { isMuted, unreadMessages } from '../messages/model/read-state.ts'
import type { Db } from '../platform/db/pool.ts'
import { many, one } from '../platform/db/query.ts'
import type { Caller } from '../users/caller.ts'

export const maxUnread = 50_000

/** The unread messages of one topic or one direct conversation, ids ascending. */
export interface UnreadGroup {
  channel_id: number | null
  topic: string | null
  user_ids: number[] | null
  is_muted: boolean
  ids: number[]
  mentions: number[]
}

/** Unread messages as parallel lists, which are read much faster than rows. */
interface Unread {
  ids: number[]
  /** Of each message: its topic; in direct conversations, the negated recipient. */
  places: number[]
  mentions: Set<number>
  wildcards: Set<number>
}

type Place = Pick<UnreadGroup, 'channel_id' | 'topic' | 'user_ids' | 'is_muted'> & { place: number }

/** Reads the newest unread messages. Most users have few enough to be read at once. */
export async function readUnread(db: Db, caller: Caller): Promise<UnreadGroup[]> {
  const unread =
    (await readLists(db, unreadMessages(caller), maxUnread)) ??
    (await readLists(db, unreadMessages(caller, await startOfNewest(db, caller))))!
  const idsByPlace = groupIds(unread)
  const places = await readPlaces(db, caller, [...idsByPlace.keys()])
  return places.map(({ place, ...row }) => groupOf(row, idsByPlace.get(place)!, unread))
}

const isWildcard = sql`u.mentions_channel or u.flags & ${sql.lit(flagBits.topic_wildcard_mentioned | flagBits.stream_wildcard_mentioned)} <> 0`

/** Undefined if there are more messages than `limit`. */
async function readLists(db: Db, messages: RawBuilder<unknown>, limit?: number): Promise<Unread | undefined> {
  const limited = limit === undefined ? sql`` : sql`limit ${sql.lit(limit + 1)}`
  const listed = (ids: RawBuilder<unknown>) =>
    limit === undefined ? ids : sql`case when count(*) <= ${sql.lit(limit)} then ${ids} end`
  const row = await one<Record<'ids' | 'places' | 'mentions' | 'wildcards', number[] | null> & { total: number }>(db)`
    select count(*) as total, ${listed(sql`array_agg(u.id)`)} as ids,
           ${listed(sql`array_agg(coalesce(u.topic_id, -u.recipient_id))`)} as places,
           array_agg(u.id) filter (where u.flags & ${sql.lit(flagBits.mentioned)} <> 0) as mentions,
           array_agg(u.id) filter (where ${isWildcard}) as wildcards
      from (select * from (${messages}) every ${limited}) u`
  if (limit !== undefined && row.total > limit) return undefined
  const { ids, places, mentions, wildcards } = row
  return { ids: ids ?? [], places: places ?? [], mentions: new Set(mentions), wildcards: new Set(wildcards) }
}

/** The newest `maxUnread` messages by place, ids ascending. */
function groupIds({ ids, places }: Unread): Map<number, number[]> {
  const oldest = ids.length > maxUnread ? Float64Array.from(ids).sort()[ids.length - maxUnread]! : 0
  const groups = new Map<number, number[]>()
  for (const [n, id] of ids.entries()) {
    if (id < oldest) continue
    const group = groups.get(places[n]!)
    if (group) group.push(id)
    else groups.set(places[n]!, [id])
  }
  for (const group of groups.values()) if (!isAscending(group)) group.sort((a, b) => a - b)
  return groups
}

/** Each conversation is read in order; only messages that were marked as unread come later. */
function isAscending(ids: number[]): boolean {
  return ids.every((id, n) => n === 0 || ids[n - 1]! < id)
}

async function readPlaces(db: Db, caller: Caller, places: number[]): Promise<Place[]> {
  if (places.length === 0) return []
  const { realm_id, id } = caller
  const topics = places.filter((place) => place > 0)
  const recipients = places.filter((place) => place < 0).map((place) => -place)
  return many<Place>(db)`
    select m.topic_id as place, m.channel_id, m.name as topic, null::bigint[] as user_ids, ${isMuted(caller)} as is_muted
      from (select id as topic_id, channel_id, name from topics
             where realm_id = ${realm_id} and id = any(${topics}::bigint[])) m
      left join user_topics v on v.realm_id = ${realm_id} and v.user_id = ${id} and v.topic_id = m.topic_id
    union all
    select -d.recipient_id, null, null, d.user_ids, false from direct_conversations d
     where d.realm_id = ${realm_id} and d.recipient_id = any(${recipients}::bigint[])`
}

/** In muted conversations, wildcard mentions do not count as mentions. */
function groupOf(row: Omit<Place, 'place'>, ids: number[], { mentions, wildcards }: Unread): UnreadGroup {
  if (mentions.size === 0 && wildcards.size === 0) return { ...row, ids, mentions: [] }
  return { ...row, ids, mentions: ids.filter((id) => mentions.has(id) || (!row.is_muted && wildcards.has(id))) }
}

/**
 * An id above which there are `maxUnread` unread messages and not many more. Without it, users who come back after a
 * year would wait until all unread messages were read from the database, only to get a part of them.
 */
async function startOfNewest(db: Db, caller: Caller): Promise<number> {
  const { last_message } = await db
    .selectFrom('realm_counters')
    .select('last_message')
    .where('realm_id', '=', caller.realm_id)
    .executeTakeFirstOrThrow()
  for (let above = last_message - 2 * maxUnread; above > 0; above -= last_message - above)
    if ((await countAbove(db, caller, above)) >= maxUnread) return above
  return 0
}

/** The number of unread messages above an id, counted up to `maxUnread + 1`. */
async function countAbove(db: Db, caller: Caller, above: number): Promise<number> {
  const { count } = await one<{ count: number }>(db)`
    select count(*) as count from (
      select 1 from (${unreadMessages(caller, above)}) u limit ${maxUnread + 1}) limited`
  return count
}
