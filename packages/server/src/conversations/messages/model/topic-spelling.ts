import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import { maybeOne } from '../../../platform/db/query.ts'
import { topicRows } from './edit-history.ts'

/**
 * The topic of message `m` in the spelling of its sender, or of the user who last moved it. Most messages are spelled
 * as their topic `t` is named. A rename of the whole topic replaces all spellings.
 */
export const topicOfMessage: RawBuilder<string> = sql`
  case when m.topic_spelling is null or exists (select 1 ${topicRows} and h.entry ? 'topic') then t.name
       else m.topic_spelling end`

/** The topic of a message; null for a direct message. */
export async function readTopicOf(tx: Pick<Tx, 'db' | 'realmId'>, messageId: number): Promise<string | null> {
  const row = await maybeOne<{ topic: string }>(tx.db)`
    select ${topicOfMessage} as topic
      from messages m join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
     where m.realm_id = ${tx.realmId} and m.id = ${messageId}`
  return row?.topic ?? null
}
