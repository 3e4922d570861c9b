import { sql } from 'kysely'
import { type Channel, channelColumnList, channelColumns } from '../../channels/access.ts'
import { lockRow } from '../../events/lock-row.ts'
import { StaleLocks, type Tx } from '../../events/transact.ts'
import { allDone } from '../../platform/db/pipelined.ts'
import { many } from '../../platform/db/query.ts'
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
  if (hold === 'goes') await waitForLock(tx, channelOf(await accessMessage(tx.db, caller, id)))
  const [place, message] = await allDone([
    lockPlace(tx, id, { message: messageLocks[hold] }),
    accessMessage(tx.db, caller, id), // sent together with the locks, but executed under them
  ] as const)
  const channel = lockedChannel(place, message)
  if (channel?.is_archived) throw new InvalidMessage()
  return { message, conversation: { realm_id: tx.realmId, recipient_id: message.recipient_id, channel } }
}

/** The channel of a message, as a list for locks. */
export function channelOf({ channel_id }: Pick<Message, 'channel_id'>): number[] {
  return channel_id === null ? [] : [channel_id]
}

/** What was locked of the place of a message. */
interface LockedPlace {
  channels: Channel[]
  topicId: number | null
}

interface PlaceLocks {
  message?: Parameters<typeof lockRow>[3]
  topic?: keyof typeof topicLocks
  /** Another channel to lock. */
  target?: number | undefined
}

/**
 * Locks the channel, the topic and then the message, wherever the message is: in one round trip. Between the statements it
 * may be moved, so `lockedChannel` has to check the place once everything is locked.
 */
export async function lockPlace(tx: Tx, id: number, locks: PlaceLocks): Promise<LockedPlace> {
  const ofMessage = (column: string) =>
    sql`(select ${sql.ref(column)} from messages where realm_id = ${tx.realmId} and id = ${id})`
  const [channels, topics] = await allDone([
    many<Channel>(tx.db)`
      select ${channelColumnList} from channels
       where realm_id = ${tx.realmId} and id in (${ofMessage('channel_id')}, ${locks.target ?? null}) order by id for share`,
    many<{ id: number }>(tx.db)`
      select id from topics
       where realm_id = ${tx.realmId} and id = ${ofMessage('topic_id')} for ${sql.raw(topicLocks[locks.topic ?? 'stays'])}`,
    lockRow(tx, 'messages', id, locks.message),
  ] as const)
  return { channels, topicId: topics[0]?.id ?? null }
}

/**
 * The channel of a message that was loaded after `lockPlace`; null for a direct message. If the message was moved before,
 * the transaction starts again: it must not lock further channels and topics out of order.
 */
export function lockedChannel(
  { channels, topicId }: LockedPlace,
  { channel_id, topic_id }: Pick<Message, 'channel_id' | 'topic_id'>,
): Channel | null {
  const channel = channels.find(({ id }) => id === channel_id) ?? null
  if ((channel?.id ?? null) !== channel_id || topicId !== topic_id) throw new StaleLocks()
  return channel
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
