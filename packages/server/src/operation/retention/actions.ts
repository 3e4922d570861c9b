import { sql } from 'kysely'
import { deleteMessages } from '../../conversations/messages/delete/delete.ts'
import { lockChannelRow, lockTopicRow } from '../../conversations/messages/model/lock-message.ts'
import { removeReleased } from '../../conversations/uploads/unclaimed.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { column, columnOf, maybeOne, one } from '../../platform/db/query.ts'
import { type ExpiredPlace, isExpired, realmDays } from './queries.ts'

interface Oldest {
  topic_id: number | null
}

const batchSize = 100

/**
 * Deletes a batch of expired messages, the oldest of a channel's topic or of a direct conversation, with the files that
 * no other message links to. Returns false if there were none. Locks the settings, so that no message is deleted after
 * the server has confirmed a longer retention period.
 */
export async function expireSome(tx: Tx, { recipient_id, channel_id }: ExpiredPlace): Promise<boolean> {
  const channel = channel_id === null ? null : await lockChannelRow(tx, channel_id, 'goes')
  const days = await lockRetentionDays(tx, channel_id)
  const oldest = await lockOldest(tx, recipient_id, days)
  if (!oldest) return false
  const ids = await lockExpired(tx, recipient_id, oldest, days)
  if (ids.length === 0) return true // moved to another topic since
  const fileIds = await findFiles(tx, ids)
  const conversation = { realm_id: tx.realmId, recipient_id, channel }
  await deleteMessages(tx, { conversation, ids, alwaysNotify: [] })
  await removeReleased(tx, fileIds)
  const { topic_id } = oldest
  await tx.audit(null, 'messages_expired', { recipient_id, channel_id, topic_id, messages: ids.length })
  return true
}

async function lockRetentionDays(tx: Tx, channelId: number | null): Promise<number> {
  const { days } = await one<{ days: number }>(tx.db)`
    select coalesce((select message_retention_days from channels where realm_id = r.id and id = ${channelId}),
                    ${realmDays}) as days
      from realms r where r.id = ${tx.realmId} for share of r`
  return days
}

/** The topic of the oldest message, locked against moves, if that message has expired. */
async function lockOldest(tx: Tx, recipientId: number, days: number): Promise<Oldest | undefined> {
  const row = await maybeOne<Oldest>(tx.db)`
    select m.topic_id
      from (select topic_id, date_sent from messages where realm_id = ${tx.realmId} and recipient_id = ${recipientId}
             order by id limit 1) m
     where ${isExpired(sql`m.date_sent`, sql`${days}::integer`)}`
  await lockTopicRow(tx, row?.topic_id ?? null, 'moves')
  return row
}

async function lockExpired(tx: Tx, recipientId: number, { topic_id }: Oldest, days: number): Promise<number[]> {
  const inTopic = topic_id === null ? sql`true` : sql`topic_id = ${topic_id}`
  return column<number>(tx.db)`
    select id from messages
     where realm_id = ${tx.realmId} and recipient_id = ${recipientId} and ${inTopic}
       and ${isExpired(sql`date_sent`, sql`${days}::integer`)}
     order by id limit ${batchSize} for update`
}

async function findFiles(tx: Tx, messageIds: number[]): Promise<number[]> {
  const links = tx.db.selectFrom('attachment_messages').where(matches({ realm_id: tx.realmId, message_id: messageIds }))
  return columnOf(links.select('attachment_id').distinct())
}
