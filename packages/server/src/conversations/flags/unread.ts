import { type RawBuilder, sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { allDone } from '../../platform/db/pipelined.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many, one } from '../../platform/db/query.ts'
import type { Snapshot } from '../../snapshot.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import {
  isMutedTopic,
  type Muting,
  type MutingColumns,
  mutingColumns,
  mutingOf,
  unreadMessages,
} from '../messages/model/read-state.ts'
import { topicOfMessage } from '../messages/model/topic-spelling.ts'
import { type ConversationName, readPlaces } from './places.ts'

export const maxUnread = 50_000

/** The unread messages of one topic or one direct conversation, ids ascending. */
export interface UnreadGroup {
  place: ConversationName
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
  muting: Muting
}

/** Reads the newest unread messages. Most users have few enough to be read at once. */
export async function readUnread(
  snapshot: Pick<Snapshot, 'db' | 'caller' | 'sharedUntilRenamed'>,
): Promise<UnreadGroup[]> {
  const { db, caller } = snapshot
  const unread =
    (await readLists(db, caller, unreadMessages(caller), maxUnread)) ??
    (await readLists(db, caller, unreadMessages(caller, await startOfNewest(db, caller))))!
  const idsByPlace = groupIds(unread)
  const [places, spellings] = await allDone([
    readPlaces(snapshot, [...idsByPlace.keys()]),
    readSpellings(
      db,
      caller,
      [...idsByPlace.values()].map(([first]) => first!),
    ),
  ] as const)
  return [...places].map(([id, place]) => {
    const ids = idsByPlace.get(id)!
    return groupOf(id, spelled(place, spellings.get(ids[0]!)), ids, unread)
  })
}

/** The topics of messages that have a spelling of their own, by message id. */
async function readSpellings(db: Db, { realm_id }: Caller, ids: number[]): Promise<Map<number, string>> {
  const rows = await many<{ id: number; topic: string }>(db)`
    select m.id, ${topicOfMessage} as topic
      from messages m join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
     where m.realm_id = ${realm_id} and m.id = any(${ids}::bigint[]) and m.topic_spelling is not null`
  return new Map(rows.map(({ id, topic }) => [id, topic]))
}

/** A topic is named as its first unread message spells it. */
function spelled(place: ConversationName, topic: string | undefined): ConversationName {
  return place.channel_id === null || topic === undefined ? place : { ...place, topic }
}

const isWildcard = sql`u.mentions_channel or u.flags & ${sql.lit(flagBits.topic_wildcard_mentioned | flagBits.stream_wildcard_mentioned)} <> 0`

/** Undefined if there are more messages than `limit`. */
async function readLists(
  db: Db,
  caller: Caller,
  messages: RawBuilder<unknown>,
  limit?: number,
): Promise<Unread | undefined> {
  const limited = limit === undefined ? sql`` : sql`limit ${sql.lit(limit + 1)}`
  const listed = (ids: RawBuilder<unknown>) =>
    limit === undefined ? ids : sql`case when count(*) <= ${sql.lit(limit)} then ${ids} end`
  const row = await one<
    Record<'ids' | 'places' | 'mentions' | 'wildcards', number[] | null> & MutingColumns & { total: number }
  >(db)`
    select count(*) as total, ${listed(sql`array_agg(u.id)`)} as ids,
           ${listed(sql`array_agg(coalesce(u.topic_id, -u.recipient_id))`)} as places,
           array_agg(u.id) filter (where u.flags & ${sql.lit(flagBits.mentioned)} <> 0) as mentions,
           array_agg(u.id) filter (where ${isWildcard}) as wildcards, ${mutingColumns(caller)}
      from (select * from (${messages}) every ${limited}) u`
  if (limit !== undefined && row.total > limit) return undefined
  const { ids, places, mentions, wildcards } = row
  return {
    ids: ids ?? [],
    places: places ?? [],
    muting: mutingOf(row),
    mentions: new Set(mentions),
    wildcards: new Set(wildcards),
  }
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

/** In muted conversations, wildcard mentions do not count as mentions. */
function groupOf(
  id: number,
  place: ConversationName,
  ids: number[],
  { mentions, wildcards, muting }: Unread,
): UnreadGroup {
  const is_muted = place.channel_id !== null && isMutedTopic(muting, id, place.channel_id)
  if (mentions.size === 0 && wildcards.size === 0) return { place, is_muted, ids, mentions: [] }
  const isMention = (message: number) => mentions.has(message) || (!is_muted && wildcards.has(message))
  return { place, is_muted, ids, mentions: ids.filter(isMention) }
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
