import { sql } from 'kysely'
import type { Channel } from '../../channels/access.ts'
import type { Tx } from '../../events/transact.ts'
import { column } from '../../platform/db/query.ts'
import { topicKey } from '../model/normalize-text.ts'
import type { Place } from './move-result.ts'

/**
 * Setting a topic policy locks the topic's row and then waits for the realm's counter. A move must lock these rows
 * before the counter too, or the two deadlock.
 */
export async function lockTopics(tx: Tx, from: Place, channel: Channel, name: string): Promise<void> {
  const ids = await column<number>(tx.db)`
    select id from topics
     where realm_id = ${tx.realmId}
       and (id = ${from.topic.id} or (channel_id = ${channel.id} and name_key = ${topicKey(name)}))
     order by id for update`
  await sql`
    select 1 from user_topics
     where realm_id = ${tx.realmId} and topic_id = any(${ids}::bigint[])
     order by topic_id, user_id for update`.execute(tx.db)
}

/** Updating message flags locks the user's subscription and flags in the same way: lock them before the counter. */
export async function lockReaders(tx: Tx, from: Place, channel: Channel, ids: number[]): Promise<void> {
  await sql`
    select 1 from subscriptions
     where realm_id = ${tx.realmId} and channel_id in (${from.channel.id}, ${channel.id})
     order by user_id, channel_id for no key update`.execute(tx.db)
  await sql`
    with locked as (
      select 1 from message_flags where realm_id = ${tx.realmId} and message_id = any(${ids}::bigint[])
       order by message_id, user_id for update
    ) select count(*) from locked`.execute(tx.db)
}
