import { sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import { topicShare } from '../model/edit-history.ts'
import { topicOfMessage } from '../model/topic-spelling.ts'

/** Keeps messages that are about to be deleted, with all rows that depend on them, so that they can be restored. */
export async function keepDeleted(tx: Tx, deletedBy: number, ids: number[]): Promise<void> {
  await sql`
    insert into deleted_messages (realm_id, id, recipient_id, channel_id, topic_id, topic, sender_id, date_sent, deleted_by,
                                  message, parts)
    select m.realm_id, m.id, m.recipient_id, m.channel_id, m.topic_id, ${topicOfMessage}, m.sender_id, m.date_sent,
           ${deletedBy}, to_jsonb(m), jsonb_build_object(
             'reactions', ${rowsOf('reactions')}, 'flags', ${rowsOf('message_flags')},
             'submessages', ${rowsOf('submessages')}, 'files', ${rowsOf('attachment_messages')},
             'topic_history', ${topicShare})
      from messages m left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
     where m.realm_id = ${tx.realmId} and m.id = any(${ids}::bigint[])
     order by m.id`.execute(tx.db)
}

function rowsOf(table: 'reactions' | 'message_flags' | 'submessages' | 'attachment_messages'): Fragment {
  return sql`
    coalesce((select jsonb_agg(p) from ${sql.table(table)} p where p.realm_id = m.realm_id and p.message_id = m.id), '[]')`
}
