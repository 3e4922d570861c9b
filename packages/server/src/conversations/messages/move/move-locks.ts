import { sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import { matches } from '../../../platform/db/matches.ts'
import { column } from '../../../platform/db/query.ts'
import type { Channel } from '../../channels/access.ts'
import { topicKey } from '../model/normalize-text.ts'
import type { TopicInChannel } from './move-result.ts'

/**
 * Setting a topic policy locks the topic's row and then waits for the realm's counter. A move must lock these rows
 * before the counter too, or the two deadlock.
 */
export async function lockTopics(tx: Tx, from: TopicInChannel, channel: Channel, name: string): Promise<void> {
  const ids = await column<number>(tx.db)`
    select id from topics
     where realm_id = ${tx.realmId}
       and (id = ${from.topic.id} or (channel_id = ${channel.id} and name_key = ${topicKey(name)}))
     order by id for update`
  const policies = tx.db.selectFrom('user_topics').where(matches({ realm_id: tx.realmId, topic_id: ids }))
  await policies.select('user_id').orderBy('topic_id').orderBy('user_id').forUpdate().execute()
}

/** Updating message flags locks the user's subscription and flags in the same way: lock them before the counter. */
export async function lockReaders(tx: Tx, from: TopicInChannel, channel: Channel, ids: number[]): Promise<void> {
  const inBoth = matches({ realm_id: tx.realmId, channel_id: [from.channel.id, channel.id] })
  const subscriptions = tx.db.selectFrom('subscriptions').select('user_id').where(inBoth)
  await subscriptions.orderBy('user_id').orderBy('channel_id').forNoKeyUpdate().execute()
  await sql`
    with locked as (
      select 1 from message_flags where realm_id = ${tx.realmId} and message_id = any(${ids}::bigint[])
       order by message_id, user_id for update
    ) select count(*) from locked`.execute(tx.db)
}
