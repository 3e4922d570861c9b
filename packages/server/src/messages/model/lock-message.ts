import { type RawBuilder, sql } from 'kysely'
import { type Channel, channelColumns } from '../../channels/access.ts'
import type { Tx } from '../../events/transact.ts'
import type { Caller } from '../../users/caller.ts'
import { accessMessage, InvalidMessage, type Message } from './access.ts'
import type { Conversation } from './audience.ts'

export interface Changing {
  message: Message
  conversation: Conversation
}

/** How a message is held: against being deleted, or to be deleted. */
type Hold = 'stays' | 'goes'
const messageLocks = { stays: sql`for key share`, goes: sql`for update` } satisfies Record<Hold, RawBuilder<unknown>>

/**
 * A message the caller may read, held for a change that others are to hear of. Its channel is held too, so that
 * nobody who is to hear of it leaves meanwhile, and its topic, so that it is not moved. An archived channel takes no
 * changes.
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
    await sql`select 1 from messages where realm_id = ${tx.realmId} and id = ${id} ${messageLocks[hold]}`.execute(tx.db)
    // Deleted or hidden while we waited for the locks?
    const message = await accessMessage(tx.db, caller, id)
    if (hasMoved(message, seen)) return undefined
    if (channel?.is_archived) throw new InvalidMessage()
    return { message, conversation: { realm_id: tx.realmId, recipient_id: message.recipient_id, channel } }
  })
}

/**
 * Takes locks until they are those of where the message is. What was locked in vain is let go before the next attempt,
 * so that nobody locks two places in an order of their own.
 */
export async function lockUntilStable<T>(tx: Tx, take: () => Promise<T | undefined>): Promise<T> {
  await sql`savepoint unlocked`.execute(tx.db)
  for (;;) {
    const held = await take()
    if (held !== undefined) return held
    await sql`rollback to savepoint unlocked`.execute(tx.db)
  }
}

type Placed = Pick<Message, 'channel_id' | 'topic_id'>

/** Whether a message was moved since it was seen. */
export function hasMoved(message: Placed, seen: Placed): boolean {
  return message.channel_id !== seen.channel_id || message.topic_id !== seen.topic_id
}

/** The channel as it is now, with its memberships held as they are until the transaction ends. */
export async function lockChannelRow(tx: Tx, id: number, hold: Hold = 'stays'): Promise<Channel> {
  if (hold === 'goes') await waitForLock(tx, [id])
  const { rows } = await sql<Channel>`
    select ${channelColumns} from channels where realm_id = ${tx.realmId} and id = ${id} for share`.execute(tx.db)
  return rows[0]!
}

/**
 * One at a time takes messages out of a channel or brings some in, so that all agree on where it begins. It is a lock
 * of its own: others go on changing messages that stay.
 */
export async function waitForLock(tx: Tx, channels: number[]): Promise<void> {
  for (const id of [...channels].sort((a, b) => a - b))
    await sql`select pg_advisory_xact_lock(hashtextextended(${`messages leave channel ${id}`}, 0))`.execute(tx.db)
}

const topicLocks = { stays: sql`for key share`, moves: sql`for update` } satisfies Record<string, RawBuilder<unknown>>

/** A topic is held after its channel and before its messages: against a move, or for one. */
export async function lockTopicRow(tx: Tx, id: number | null, hold: keyof typeof topicLocks = 'stays'): Promise<void> {
  if (id !== null)
    await sql`select 1 from topics where realm_id = ${tx.realmId} and id = ${id} ${topicLocks[hold]}`.execute(tx.db)
}
