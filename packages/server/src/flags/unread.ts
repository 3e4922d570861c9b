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

interface GroupRow extends Omit<UnreadGroup, 'mentions'> {
  mentions: number[] | null
  wildcards: number[] | null
}

/** Reads the newest unread messages. Most users have few enough to be read at once. */
export async function readUnread(db: Db, caller: Caller): Promise<UnreadGroup[]> {
  const rows = (await readAll(db, caller)) ?? (await readGroups(db, caller, await startOfNewest(db, caller)))
  const oldest = oldestOf(rows)
  return rows.map((row) => groupOf(row, oldest)).filter(({ ids }) => ids.length > 0)
}

/** All unread messages; undefined if there are more than `maxUnread`, which are then not grouped. */
async function readAll(db: Db, caller: Caller): Promise<GroupRow[] | undefined> {
  const fitting = sql`select * from unread where (select n from total) <= ${sql.lit(maxUnread)}`
  const rows = await many<Omit<GroupRow, 'ids'> & { n: number; ids: number[] | null }>(db)`
    with unread as materialized (select * from (${unreadMessages(caller)}) u limit ${sql.lit(maxUnread + 1)}),
         total as (select count(*) as n from unread), grouped as (${grouping(fitting)})
    select total.n, ${groupColumns(caller)} from total left join grouped m on true ${groupJoins(caller)}`
  return rows[0]!.n > maxUnread ? undefined : rows.filter((row): row is typeof row & GroupRow => row.ids !== null)
}

async function readGroups(db: Db, caller: Caller, above: number): Promise<GroupRow[]> {
  return many<GroupRow>(db)`
    with grouped as (${grouping(unreadMessages(caller, above))})
    select ${groupColumns(caller)} from grouped m ${groupJoins(caller)}`
}

const isWildcard = sql`u.mentions_channel or u.flags & ${sql.lit(flagBits.topic_wildcard_mentioned | flagBits.stream_wildcard_mentioned)} <> 0`

/** The ids stay unsorted, because sorting is slower in PostgreSQL than here. */
function grouping(messages: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select u.channel_id, u.topic_id, u.recipient_id, array_agg(u.id) as ids,
           array_agg(u.id) filter (where u.flags & ${sql.lit(flagBits.mentioned)} <> 0) as mentions,
           array_agg(u.id) filter (where ${isWildcard}) as wildcards
      from (${messages}) u group by u.channel_id, u.topic_id, u.recipient_id`
}

function groupColumns(caller: Caller): RawBuilder<unknown> {
  return sql`m.channel_id, t.name as topic, d.user_ids, ${isMuted(caller)} as is_muted, m.ids, m.mentions, m.wildcards`
}

function groupJoins({ id, realm_id }: Caller): RawBuilder<unknown> {
  return sql`
      left join topics t on t.realm_id = ${realm_id} and t.id = m.topic_id
      left join direct_conversations d on d.realm_id = ${realm_id} and d.recipient_id = m.recipient_id
      left join user_topics v on v.realm_id = ${realm_id} and v.user_id = ${id} and v.topic_id = m.topic_id`
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

function oldestOf(rows: GroupRow[]): number {
  const total = rows.reduce((sum, { ids }) => sum + ids.length, 0)
  if (total <= maxUnread) return 0
  return Float64Array.from(rows.flatMap(({ ids }) => ids)).sort()[total - maxUnread]!
}

/** In muted conversations, wildcard mentions do not count as mentions. */
function groupOf({ wildcards, mentions, ids, ...row }: GroupRow, oldest: number): UnreadGroup {
  const mentioned = new Set([...(mentions ?? []), ...((!row.is_muted && wildcards) || [])])
  const newest = (all: number[]) => all.filter((id) => id >= oldest).sort((a, b) => a - b)
  return { ...row, ids: newest(ids), mentions: newest([...mentioned]) }
}
