import { type Channel, channelColumns } from '../../channels/access.ts'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { one } from '../../platform/db/query.ts'
import type { Caller } from '../../users/caller.ts'
import { accessMessage, InvalidMessage } from '../model/access.ts'
import { hasMoved, lockTopicRow, lockUntilStable, waitForLock } from '../model/lock-message.ts'

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
  age_seconds: number
  has_submessages: boolean
}

/** A message that is about to be edited, with its channel and topic. `place` is null for a direct message. */
export interface Editing {
  message: EditedMessage
  place: { channel: Channel; topic: Topic } | null
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
  return lockUntilStable(tx, async () => {
    const seen = await accessMessage(tx.db, caller, id)
    const channelIds = [seen.channel_id, target].filter((one) => one !== null && one !== undefined)
    const channels = await lockChannels(tx, channelIds, moves)
    await lockTopicRow(tx, seen.topic_id, moves ? 'moves' : 'stays')
    await lockRow(tx, 'messages', id)
    // The message may have been deleted, hidden or moved while this transaction waited for the locks.
    if (hasMoved(await accessMessage(tx.db, caller, id), seen)) return undefined
    const channel = channels.find((one) => one.id === seen.channel_id)
    if (channel?.is_archived) throw new InvalidMessage()
    return readEditing(tx, id, channel)
  })
}

async function lockChannels(tx: Tx, ids: number[], moves: boolean): Promise<Channel[]> {
  if (moves) await waitForLock(tx, ids)
  const channels = tx.db.selectFrom('channels').where(matches({ realm_id: tx.realmId, id: ids }))
  return channels.select(channelColumns).orderBy('id').forShare().execute()
}

type Row = EditedMessage & { topic_id: number | null; topic: string | null }

async function readEditing(tx: Tx, id: number, channel: Channel | undefined): Promise<Editing> {
  const { topic_id, topic, ...message } = await one<Row>(tx.db)`
    select m.id, m.sender_id, m.recipient_id, m.content, m.rendered_content, m.topic_id, t.name as topic,
           extract(epoch from clock_timestamp() - m.date_sent)::float as age_seconds,
           exists (select 1 from submessages s where s.realm_id = m.realm_id and s.message_id = m.id) as has_submessages
      from messages m left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
     where m.realm_id = ${tx.realmId} and m.id = ${id}`
  return { message, place: channel ? { channel, topic: { id: topic_id!, name: topic! } } : null }
}
