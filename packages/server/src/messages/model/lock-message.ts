import { sql } from 'kysely'
import { type Channel, channelColumns } from '../../channels/access.ts'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import type { Caller } from '../../users/caller.ts'
import { accessMessage, InvalidMessage, type Message } from './access.ts'
import type { Conversation } from './audience.ts'

export interface Changing {
  message: Message
  conversation: Conversation
}

/** How a message is locked: `stays` prevents its deletion, `goes` is for deleting it. */
type Hold = 'stays' | 'goes'
const messageLocks = { stays: 'key share', goes: 'update' } as const

/**
 * Loads a message the caller may read and locks it for a change that emits an event. Also locks its channel, so that
 * no user of the audience unsubscribes before commit, and its topic, so that the message is not moved. Messages of
 * archived channels cannot be changed.
 */
export async function accessMessageToChange(
  tx: Tx,
  caller: Caller,
  id: number,
  hold: Hold = 'stays',
): Promise<Changing> {
  return lockUntilStable(tx, async () => {
    const seen = await accessMessage(tx.db, caller, id)
    const channel = seen.channel_id === null ? null : await lockChannelRow(tx, seen.channel_id, hold)
    await lockTopicRow(tx, seen.topic_id)
    await lockRow(tx, 'messages', id, messageLocks[hold])
    // Check again: it may have been deleted or hidden while we waited for the locks.
    const message = await accessMessage(tx.db, caller, id)
    if (hasMoved(message, seen)) return undefined
    if (channel?.is_archived) throw new InvalidMessage()
    return { message, conversation: { realm_id: tx.realmId, recipient_id: message.recipient_id, channel } }
  })
}

/**
 * Retries `take` until the locks match the place where the message is. Releases stale locks before each retry, so that
 * all transactions lock channels and topics in the same order and do not deadlock.
 */
export async function lockUntilStable<T>(tx: Tx, take: () => Promise<T | undefined>): Promise<T> {
  await sql`savepoint unlocked`.execute(tx.db)
  for (;;) {
    const locked = await take()
    if (locked !== undefined) return locked
    await sql`rollback to savepoint unlocked`.execute(tx.db)
  }
}

type Place = Pick<Message, 'channel_id' | 'topic_id'>

/** Whether a message was moved since it was loaded as `seen`. */
export function hasMoved(message: Place, seen: Place): boolean {
  return message.channel_id !== seen.channel_id || message.topic_id !== seen.topic_id
}

/** Loads and locks a channel. Its subscriptions cannot change until the transaction ends. */
export async function lockChannelRow(tx: Tx, id: number, hold: Hold = 'stays'): Promise<Channel> {
  if (hold === 'goes') await waitForLock(tx, [id])
  const channels = tx.db.selectFrom('channels').select(channelColumns).where('realm_id', '=', tx.realmId)
  return channels.where('id', '=', id).forShare().executeTakeFirstOrThrow()
}

/**
 * Serializes transactions that move messages into or out of a channel or delete them, because they update its first
 * message id. An advisory lock, so that other changes to messages do not wait.
 */
export async function waitForLock(tx: Tx, channels: number[]): Promise<void> {
  for (const id of [...channels].sort((a, b) => a - b))
    await sql`select pg_advisory_xact_lock(hashtextextended(${`messages leave channel ${id}`}, 0))`.execute(tx.db)
}

const topicLocks = { stays: 'key share', moves: 'update' } as const

/** Locks a topic, to prevent a move (`stays`) or to do one (`moves`). Lock order: channel, topic, messages. */
export async function lockTopicRow(tx: Tx, id: number | null, hold: keyof typeof topicLocks = 'stays'): Promise<void> {
  if (id !== null) await lockRow(tx, 'topics', id, topicLocks[hold])
}
