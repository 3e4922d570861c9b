import type { PropagateMode } from '@parley/api/conversations/editing'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { column, exists, maybeOne, one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { type Change, graceSeconds, isExempt } from '../edit/checks.ts'
import type { Editing } from '../edit/lock-for-edit.ts'
import { inMode, visibleMessages } from './propagation.ts'

/** The messages of a topic that move, and counts. One statement reads them all, so that they are consistent. */
export interface Selection {
  /** The ids of the messages that move, ascending. */
  ids: number[]
  /** The number of messages of the topic that the caller may read. */
  visible: number
  /** The number of messages of the topic. */
  all: number
  /** The id of the topic's newest message. */
  newest: number
}

/** Which messages of which topic move. */
export interface Selector {
  place: NonNullable<Editing['place']>
  mode: PropagateMode
  /** The message that the request names. */
  messageId: number
}

/** Selects the messages that move and counts, both among those with an id greater than the given ones. */
export async function selectMessages(
  tx: Tx,
  caller: Caller,
  { place, mode, messageId }: Selector,
  { movedAfter = 0, after = 0 } = {},
): Promise<Selection> {
  const { channel, topic } = place
  const moves = sql`${inMode[mode](messageId)} and m.id > ${movedAfter}`
  const ofTopic = sql`from messages where realm_id = ${tx.realmId} and topic_id = ${topic.id}`
  const all = channel.history_public_to_subscribers
    ? sql`count(*)`
    : sql`(select count(*) ${ofTopic} and id > ${after})`
  return one<Selection>(tx.db)`
    select coalesce(array_to_json(array_agg(m.id order by m.id) filter (where ${moves})), '[]') as ids,
           count(*) as visible, ${all} as all, (select coalesce(max(id), 0) ${ofTopic}) as newest
      ${visibleMessages(caller, place)} and m.id > ${after}`
}

/** Whether the topic has messages that the caller may read. */
export async function seesMessages(tx: Tx, caller: Caller, place: Selector['place']): Promise<boolean> {
  return exists(tx.db)`select 1 ${visibleMessages(caller, place)} limit 1`
}

/** Messages that are moved in one transaction. */
export interface Part {
  selected: Selection
  isLast: boolean
}

/**
 * Selects the oldest messages that move, among those with an id greater than `after`. `limit` says how many of them may
 * move at once; the last part may be larger, by what was sent in between.
 */
export async function selectPart(
  tx: Tx,
  caller: Caller,
  selector: Selector,
  { after, size }: { after: number; size: number },
  limit: (ids: number[]) => Promise<number>,
): Promise<Part> {
  const { place, mode, messageId } = selector
  const next = await column<number>(tx.db)`
    select m.id ${visibleMessages(caller, place)} and ${inMode[mode](messageId)} and m.id > ${after}
     order by m.id limit ${size + 1}`
  const ids = next.slice(0, Math.min(size, await limit(next)))
  if (ids.length === next.length)
    return { selected: await selectMessages(tx, caller, selector, { movedAfter: after }), isLast: true }
  // Others are left behind; how many does not matter.
  const more = ids.length + 1
  return { selected: { ids, visible: more, all: more, newest: ids.at(-1)! }, isLast: false }
}

/** Refuses to move a whole topic if one of its messages is too old for the caller to move. */
export async function checkTimeLimit(tx: Tx, caller: Caller, { place }: Editing, change: Change): Promise<void> {
  const limit = limitOf(caller, change)
  if (limit === undefined || isExempt(caller)) return
  const tooOld = sql`m.date_sent < clock_timestamp() - make_interval(secs => ${limit})`
  // Ids follow the order of sending: if the oldest message is within the limit, all are, and none need to be counted.
  const oldest = await maybeOne<{ too_old: boolean }>(tx.db)`
    select ${tooOld} as too_old ${visibleMessages(caller, place!)} order by m.id limit 1`
  if (!oldest?.too_old) return
  const { total, movable, first } = await one<{ total: number; movable: number; first: number | null }>(tx.db)`
    select count(*) as total, count(*) filter (where not ${tooOld}) as movable, min(m.id) filter (where not ${tooOld}) as first
      ${visibleMessages(caller, place!)}`
  throw new ApiError(
    `You only have permission to move the ${movable}/${total} most recent messages in this topic.`,
    'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    {
      fields: {
        first_message_id_allowed_to_move: first,
        total_messages_in_topic: total,
        total_messages_allowed_to_move: movable,
      },
    },
  )
}

/** The shortest limit that applies, with the grace period added. */
function limitOf({ realm: { settings } }: Caller, { topic, channel, resolving }: Change): number | undefined {
  const limits = [
    topic !== undefined && !resolving ? settings.move_messages_within_stream_limit_seconds : null,
    channel ? settings.move_messages_between_streams_limit_seconds : null,
  ].filter((limit) => limit !== null)
  return limits.length > 0 ? Math.min(...limits) + graceSeconds : undefined
}
