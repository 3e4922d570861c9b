import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import { loader } from '../../../events/commit/loader.ts'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { allDone } from '../../../platform/db/pipelined.ts'
import { type Channel, channelColumns } from '../../channels/access.ts'
import { accessMessage, accessMessageIn } from '../model/access.ts'
import type { Entry } from '../model/edit-history.ts'
import { channelOf, lockedChannel, lockPlace, waitForLock } from '../model/lock-message.ts'
import { topicOfMessage } from '../model/topic-spelling.ts'

export interface Topic {
  id: number
  name: string
}

export interface EditedMessage {
  id: number
  sender_id: number
  recipient_id: number
  content: string
  rendered_content: string
  has_attachment: boolean
  age_seconds: number
  has_submessages: boolean
}

/** A message that is about to be edited, with its channel and topic. `place` is null for a direct message. */
export interface Editing {
  message: EditedMessage
  place: { channel: Channel; topic: Topic } | null
  edit: Pick<Entry, 'number' | 'user_id' | 'timestamp'>
}

/**
 * Loads and locks a message that the caller may read. Locks its channel, the target channel and its topic first. A move
 * excludes other moves and deletions in both channels, and every other change in the topic.
 */
export async function lockMessage(
  tx: Tx,
  caller: Caller,
  id: number,
  { moves, target }: { moves: boolean; target: number | undefined },
): Promise<Editing> {
  if (moves) {
    const seen = await accessMessage(tx.db, caller, id)
    await waitForLock(tx, [...channelOf(seen), ...(target === undefined ? [] : [target])])
  }
  const locked = await lockPlace(tx, { id, topic: moves ? 'moves' : 'stays', target })
  const [message, [row]] = await allDone([accessMessageIn(tx, caller, id), readEdited(tx, { id })] as const)
  return toEditing(caller, lockedChannel(locked, message), row!)
}

/**
 * Locks a message of the caller's own, which may be in a channel that the caller can only write in. Undefined if it is
 * gone.
 */
export async function lockOwnMessage(
  tx: Tx,
  caller: Caller,
  id: number,
  { moves }: { moves: boolean },
): Promise<Editing | undefined> {
  const own = tx.db.selectFrom('messages').select(['channel_id', 'topic_id'])
  const found = own.where(matches({ realm_id: tx.realmId, id, sender_id: caller.id }))
  const seen = await found.executeTakeFirst()
  if (!seen) return undefined
  if (moves) await waitForLock(tx, channelOf(seen))
  const locked = await lockPlace(tx, { id, topic: moves ? 'moves' : 'stays' })
  const message = await found.executeTakeFirst()
  if (!message) return undefined
  const [row] = await readEdited(tx, { id })
  return toEditing(caller, lockedChannel(locked, message), row!)
}

/** Loads a message whose channel and topic are locked for a move, without any checks. */
export async function readEditing(tx: Tx, caller: Caller, id: number, channel: Channel): Promise<Editing> {
  const [row] = await readEdited(tx, { id })
  return toEditing(caller, channel, row!)
}

function toEditing(caller: Caller, channel: Channel | null, row: Row): Editing {
  const { topic_id, topic, number, timestamp, ...message } = row
  return {
    message,
    place: channel && { channel, topic: { id: topic_id!, name: topic! } },
    edit: { number, timestamp, user_id: caller.id },
  }
}

/** Locks channels for a move of messages between them. Sorted by id. */
export async function lockChannels(tx: Tx, ids: number[]): Promise<Channel[]> {
  await waitForLock(tx, ids)
  const channels = tx.db.selectFrom('channels').where(matches({ realm_id: tx.realmId, id: ids }))
  return channels.select(channelColumns).orderBy('id').forShare().execute()
}

type Row = EditedMessage & { topic_id: number | null; topic: string | null; number: number; timestamp: number }

/** Call it with the message locked, so that later edits of the message get greater numbers. */
const readEdited = loader(
  { id: 'bigint' },
  ({ realmId }, k) => sql<Row>`
    select m.id, m.sender_id, m.recipient_id, m.content, m.rendered_content, m.has_attachment, m.topic_id,
           ${topicOfMessage} as topic,
           extract(epoch from clock_timestamp() - m.date_sent)::float as age_seconds,
           exists (select 1 from submessages s where s.realm_id = m.realm_id and s.message_id = m.id) as has_submessages,
           nextval('edit_numbers') as number, floor(extract(epoch from clock_timestamp()))::bigint as timestamp
      from messages m left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
     where m.realm_id = ${realmId} and m.id = any(array(select k.id from ${k}))`,
)
