import type { PropagateMode } from '@parley/api/conversations/editing'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { one } from '../../../platform/db/query.ts'
import type { Channel } from '../../channels/access.ts'
import type { EditParams } from '../edit/checks.ts'
import { isRename, type PlannedMove } from './move.ts'

/** Larger moves are done in parts: one transaction would lock the messages for too long. */
const limits = {
  messages: 1000,
  /** Pairs of a moved message and a user whose flags may have to be written. */
  pairs: 20_000,
}

/** Whether a move has to be done in parts. Renaming a topic is quick, however many messages it has. */
export async function isLarge(tx: Tx, planned: PlannedMove): Promise<boolean> {
  const { from, channel, mode, target, selected } = planned
  const staysInChannel = channel.id === from.channel.id
  if (mode === 'change_one' || (staysInChannel && isRename(planned, target, selected))) return false
  return selected.ids.length > (await maxAtOnce(tx, from.channel, channel, selected.ids))
}

/** How many of the messages one transaction may move. */
export async function maxAtOnce(tx: Tx, from: Channel, to: Channel, ids: number[]): Promise<number> {
  if (from.id === to.id || ids.length === 0) return limits.messages
  const readers = await countChangedReaders(tx, from, to, ids.at(-1)!)
  return Math.max(1, Math.min(limits.messages, Math.floor(limits.pairs / Math.max(1, readers))))
}

/** Subscribers of the new channel who have not read everything up to the newest message, and may need a row per message. */
async function countChangedReaders(tx: Tx, from: Channel, to: Channel, newest: number): Promise<number> {
  // With protected history, each message from before the subscription needs a row that grants access.
  const hasRead = to.history_public_to_subscribers ? sql`least(s.read_floor, o.read_floor) >= ${newest}` : sql`false`
  const { count } = await one<{ count: number }>(tx.db)`
    select count(*) from subscriptions s
      left join subscriptions o on o.realm_id = s.realm_id and o.user_id = s.user_id and o.channel_id = ${from.id} and o.is_active
     where s.realm_id = ${tx.realmId} and s.channel_id = ${to.id} and s.is_active and not ${hasRead}`
  return count
}

type Notifying = Pick<EditParams, 'send_notification_to_old_thread' | 'send_notification_to_new_thread'>

/** Stores an authorized move, to be continued in parts. Returns its id. */
export async function storeMove(tx: Tx, caller: Caller, planned: PlannedMove, params: Notifying): Promise<number> {
  const { from, channel, name, mode, messageId, target, selected, resolving, knowsTarget } = planned
  // If only the spelling changes, the messages stay in their topic.
  const to_topic_id = target?.id === from.topic.id ? target.id : null
  const row = {
    realm_id: tx.realmId,
    user_id: caller.id,
    message_id: messageId,
    mode,
    total: selected.ids.length,
    channel_id: from.channel.id,
    topic_id: from.topic.id,
    to_channel_id: channel.id,
    to_topic: name,
    to_topic_id,
    resolving,
    knows_target: knowsTarget,
    joins: target?.has_messages === true,
    notifies_old: params.send_notification_to_old_thread,
    notifies_new: params.send_notification_to_new_thread,
  }
  const { id } = await tx.db.insertInto('message_moves').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Locks a move; undefined if it is complete. */
export async function lockMove(tx: Tx, id: number) {
  const moves = tx.db
    .selectFrom('message_moves')
    .selectAll()
    .where(matches({ realm_id: tx.realmId, id }))
  return moves.$narrowType<{ mode: PropagateMode }>().forUpdate().executeTakeFirst()
}

export type StoredMove = NonNullable<Awaited<ReturnType<typeof lockMove>>>

export async function deleteMove(tx: Tx, id: number): Promise<void> {
  await tx.db
    .deleteFrom('message_moves')
    .where(matches({ realm_id: tx.realmId, id }))
    .execute()
}
