import { many } from '../../../platform/db/query.ts'
import type { Snapshot } from '../../../snapshot.ts'
import { newestMessageId } from './newest-message-id.ts'

const mostConversations = 1000

export async function newestMessageState({ db, caller }: Snapshot): Promise<object> {
  return { max_message_id: await newestMessageId(db, caller) }
}

/** The newest message of each direct conversation; each is one lookup in the index messages_by_recipient. */
export async function conversationState({ db, caller }: Snapshot): Promise<object> {
  const { id, realm_id } = caller
  const rows = await many<{ user_ids: number[]; max_message_id: number }>(db)`
    select array_remove(g.user_ids, ${id}::bigint) as user_ids, newest.id as max_message_id
      from direct_participants d
      join direct_conversations g on g.realm_id = d.realm_id and g.recipient_id = d.recipient_id
     cross join lateral (
       select m.id from messages m where m.realm_id = ${realm_id} and m.recipient_id = d.recipient_id
        order by m.id desc limit 1) newest
     where d.realm_id = ${realm_id} and d.user_id = ${id}
     order by newest.id desc limit ${mostConversations}`
  return { recent_private_conversations: rows }
}
