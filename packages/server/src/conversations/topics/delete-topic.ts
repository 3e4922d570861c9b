import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { type Commits, transactIn } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { column, one } from '../../platform/db/query.ts'
import { accessChannel, InvalidChannelId } from '../channels/access.ts'
import { deleteMessages, lockNewest } from '../messages/delete/delete.ts'
import { lockChannelRow } from '../messages/model/lock-message.ts'
import { topicKey } from '../messages/model/normalize-text.ts'
import { wasReceived } from '../messages/model/received.ts'
import { removePolicies } from './policies.ts'

type DeleteDeps = Commits

interface Topic {
  id: number
  name: string
  channel_id: number
}

const batchSize = 100
export const deletionLimits = { milliseconds: 50_000 }

/**
 * Deletes the messages of a topic that the caller may read, newest first, in batches. Returns false if time ran out
 * before all of them were deleted.
 */
export async function deleteTopic(
  ctx: DeleteDeps,
  caller: Caller,
  { channelId, topic }: { channelId: number; topic: string },
  { milliseconds } = deletionLimits,
): Promise<boolean> {
  await accessChannel(ctx.db, caller, channelId)
  const deadline = performance.now() + milliseconds
  for (let found = batchSize; found === batchSize; ) {
    if (performance.now() >= deadline) return false
    found = await transactIn(ctx, caller.realm_id, (tx) => deleteBatch(tx, caller, channelId, topic))
  }
  await transactIn(ctx, caller.realm_id, (tx) => deleteIfEmpty(tx, channelId, topic))
  return true
}

async function deleteBatch(tx: Tx, caller: Caller, channelId: number, topicName: string): Promise<number> {
  const channel = await lockChannelRow(tx, channelId, 'goes')
  if (channel.is_archived) throw new InvalidChannelId()
  const topic = await lockTopic(tx, channelId, topicName)
  const ids = topic ? await lockNewest(tx, caller, topic.id, batchSize) : []
  if (!topic || ids.length === 0) return 0
  const { realm_id, recipient_id } = channel
  const conversation = { realm_id, recipient_id, channel }
  await deleteMessages(tx, { conversation, ids, alwaysNotify: [caller.id], keptFor: caller.id })
  await tx.audit(caller.id, 'topic_messages_deleted', {
    channel_id: channelId,
    topic_id: topic.id,
    messages: ids.length,
  })
  return ids.length
}

async function lockTopic(tx: Tx, channelId: number, topic: string): Promise<Topic | undefined> {
  return tx.db
    .selectFrom('topics')
    .select(['id', 'name', 'channel_id'])
    .where(matches({ realm_id: tx.realmId, channel_id: channelId, name_key: topicKey(topic) }))
    .forUpdate()
    .executeTakeFirst()
}

/** Deletes a topic without messages, and its policies. If messages remain, deletes the policies of users who cannot read them. */
async function deleteIfEmpty(tx: Tx, channelId: number, topicName: string): Promise<void> {
  const topic = await lockTopic(tx, channelId, topicName)
  if (!topic) return
  // Locks the realm's counter: from here on no message can be sent to the topic.
  await tx.position()
  const { is_empty } = await one<{ is_empty: boolean }>(tx.db)`
    select not exists (select 1 from messages where realm_id = ${tx.realmId} and topic_id = ${topic.id}) as is_empty`
  const isEmpty = is_empty
  await removePolicies(tx, topic, isEmpty ? undefined : await usersWithoutMessages(tx, topic))
  if (!isEmpty) return
  await tx.db.deleteFrom('topics').where('realm_id', '=', tx.realmId).where('id', '=', topic.id).execute()
  // Every process caches which topics have messages.
  tx.emitInternal({ access: true })
}

/** With protected history: users with a policy for the topic who received none of its remaining messages. */
async function usersWithoutMessages(tx: Tx, { id, channel_id }: Topic): Promise<number[]> {
  return column<number>(tx.db)`
    select v.user_id from user_topics v join channels c on c.realm_id = v.realm_id and c.id = ${channel_id}
     where v.realm_id = ${tx.realmId} and v.topic_id = ${id} and not c.history_public_to_subscribers
       and not exists (
         select 1 from messages m
          where m.realm_id = v.realm_id and m.topic_id = ${id}
            and ${wasReceived({ realm: sql`m.realm_id`, user: sql`v.user_id`, channel: channel_id })})`
}
