import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { loader } from '../../../events/commit/loader.ts'
import { lockRow } from '../../../events/lock-row.ts'
import { StaleLocks, type Tx } from '../../../events/transact.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import { allDone } from '../../../platform/db/pipelined.ts'
import { type Channel, channelColumnList, channelColumns } from '../../channels/access.ts'
import { accessMessage, accessMessageIn, InvalidMessage, type Message } from './access.ts'
import type { Conversation } from './audience.ts'

export interface Changing {
  message: Message
  conversation: Conversation
}

/** How a message is locked: `stays` prevents its deletion, `goes` is for deleting it. */
type Hold = 'stays' | 'goes'

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
  const place = await lockPlace(tx, { id, message: hold })
  const message = await accessMessageIn(tx, caller, id)
  const channel = lockedChannel(place, message)
  if (channel?.is_archived) throw new InvalidMessage()
  return { message, conversation: { realm_id: tx.realmId, recipient_id: message.recipient_id, channel } }
}

/** The channel of a message, as a list for locks. */
export function channelOf({ channel_id }: Pick<Message, 'channel_id'>): number[] {
  return channel_id === null ? [] : [channel_id]
}

/** What was locked of the places of messages. */
interface LockedPlace {
  channels: Channel[]
  topicIds: number[]
}

interface PlaceLocks {
  /** The message. */
  id: number
  message?: keyof typeof lockMessages
  topic?: keyof typeof lockTopics
  /** Another channel to lock. */
  target?: number | undefined
}

/**
 * Locks the channel, the topic and then the message, wherever the message is: in one round trip, also for several acts.
 * Between the statements it may be moved, so `lockedChannel` has to check the place once everything is locked.
 */
export async function lockPlace(tx: Tx, place: PlaceLocks): Promise<LockedPlace> {
  const { id: message_id, message = 'changes', topic = 'stays', target = null } = place
  const [channels, topics] = await allDone([
    lockChannels(tx, { message_id, target }),
    lockTopics[topic](tx, { message_id }),
    lockMessages[message](tx, { message_id }),
  ] as const)
  return { channels, topicIds: topics.map(({ id }) => id) }
}

const lockChannels = loader(
  { message_id: 'bigint', target: 'bigint' },
  ({ realmId }, k) => sql<Channel>`
    select ${channelColumnList} from channels
     where realm_id = ${realmId} and id = any(${ofMessages(realmId, 'channel_id', k)} || array(select k.target from ${k}))
     order by id for share`,
)

const topicLocks = { stays: 'key share', moves: 'update' } as const
const lockTopics = {
  stays: lockRows('topics', 'topic_id', topicLocks.stays),
  moves: lockRows('topics', 'topic_id', topicLocks.moves),
}
const lockMessages = {
  stays: lockRows('messages', 'id', 'key share'),
  changes: lockRows('messages', 'id', 'no key update'),
  goes: lockRows('messages', 'id', 'update'),
}

/** Locks in the order of ids, so that transactions that lock the same rows wait for each other instead of deadlocking. */
function lockRows(table: 'topics' | 'messages', column: string, strength: string) {
  return loader(
    { message_id: 'bigint' },
    ({ realmId }, k) => sql<{ id: number }>`
      select id from ${sql.table(table)}
       where realm_id = ${realmId} and id = any(${ofMessages(realmId, column, k)}) order by id for ${sql.raw(strength)}`,
  )
}

function ofMessages(realmId: number, column: string, k: Fragment): Fragment {
  return sql`array(
    select ${sql.ref(column)} from messages
     where realm_id = ${realmId} and id = any(array(select k.message_id from ${k})))`
}

/**
 * The channel of a message that was loaded after `lockPlace`; null for a direct message. If the message was moved before,
 * the transaction starts again: it must not lock further channels and topics out of order.
 */
export function lockedChannel(
  { channels, topicIds }: LockedPlace,
  { channel_id, topic_id }: Pick<Message, 'channel_id' | 'topic_id'>,
): Channel | null {
  const channel = channels.find(({ id }) => id === channel_id) ?? null
  if ((channel?.id ?? null) !== channel_id) throw new StaleLocks()
  if (topic_id !== null && !topicIds.includes(topic_id)) throw new StaleLocks()
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

/** Locks a topic, to prevent a move (`stays`) or to do one (`moves`). Lock order: channel, topic, messages. */
export async function lockTopicRow(tx: Tx, id: number | null, hold: keyof typeof topicLocks = 'stays'): Promise<void> {
  if (id !== null) await lockRow(tx, 'topics', id, topicLocks[hold])
}
