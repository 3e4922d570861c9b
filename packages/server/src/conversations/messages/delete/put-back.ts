import { sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import { column, one } from '../../../platform/db/query.ts'
import { topicKey } from '../model/normalize-text.ts'
import type { FormerPlace } from './deleted-messages.ts'

/** What is restored of each table. Columns that were added later get their defaults; a test compares the list with the tables. */
export const restoredColumns = {
  messages: [
    ...['realm_id', 'id', 'recipient_id', 'channel_id', 'topic_id', 'topic_since', 'topic_spelling', 'sender_id'],
    ...['date_sent', 'client', 'content', 'rendered_content', 'read_by_sender', 'mentions_channel', 'has_attachment'],
    ...['has_image', 'has_link', 'edit_history'],
  ],
  message_flags: ['realm_id', 'user_id', 'message_id', 'flags'],
  reactions: ['realm_id', 'message_id', 'user_id', 'reaction_type', 'emoji_code', 'emoji_name', 'created_at'],
  submessages: ['id', 'realm_id', 'message_id', 'sender_id', 'msg_type', 'content'],
  attachment_messages: ['realm_id', 'attachment_id', 'message_id'],
}

/** Inserts the rows of a deleted message again. Files that were deleted since are left out. Returns the ids of the others. */
export async function putBack(tx: Tx, id: number, place: FormerPlace): Promise<number[]> {
  const changed = { ...(await topicOf(tx, place)), channel_id: place.channel_id, recipient_id: place.recipient_id }
  const isThere = sql`where exists (select 1 from attachments a where a.realm_id = p.realm_id and a.id = p.attachment_id)`
  return column<number>(tx.db)`
    with taken as (
      delete from deleted_messages where realm_id = ${tx.realmId} and id = ${id} returning message, parts
    ), put as (
      ${insert('messages', sql`jsonb_populate_record(null::messages, message || ${historyIn(changed)} || ${JSON.stringify(changed)}::jsonb)`)}
    ), flagged as (${insert('message_flags', parts('message_flags', 'flags'))}
    ), reacted as (${insert('reactions', parts('reactions', 'reactions'))}
    ), voted as (${insert('submessages', parts('submessages', 'submessages'))})
    ${insert('attachment_messages', parts('attachment_messages', 'files'))} ${isThere} returning attachment_id`
}

function parts(table: keyof typeof restoredColumns, name: string): Fragment {
  return sql`jsonb_populate_recordset(null::${sql.table(table)}, parts -> ${sql.lit(name)})`
}

function insert(table: keyof typeof restoredColumns, rows: Fragment): Fragment {
  const columns = sql.join(restoredColumns[table].map((name) => sql.ref(name)))
  const selected = sql.join(restoredColumns[table].map((name) => sql.ref(`p.${name}`)))
  return sql`
    insert into ${sql.table(table)} (${columns}) overriding system value
    select ${selected} from taken cross join lateral ${rows} p`
}

interface NewTopic {
  topic_id: number
  topic_since: number
  topic_spelling: string | null
}

/** In another topic than before, the message takes its part of the old topic's history along. */
function historyIn(changed: object): Fragment {
  if (!('topic_id' in changed)) return sql`'{}'::jsonb`
  return sql`jsonb_build_object('edit_history', nullif(
    coalesce(nullif(message -> 'edit_history', 'null'), '[]') || (parts -> 'topic_history'), '[]'))`
}

/** The topic of the same name, created if there is none, where the message's own topic is gone. */
async function topicOf(tx: Tx, { channel_id, topic_id, topic }: FormerPlace): Promise<NewTopic | undefined> {
  if (channel_id === null || topic_id !== null) return undefined
  const key = topicKey(topic!)
  const found = await one<{ id: number; name: string; since: number }>(tx.db)`
    with made as (
      insert into topics (realm_id, channel_id, name, name_key) values (${tx.realmId}, ${channel_id}, ${topic}, ${key})
      on conflict do nothing returning id, name
    )
    select t.id, t.name, coalesce((select max(h.number) from topic_history h
                                    where h.realm_id = ${tx.realmId} and h.topic_id = t.id), 0) as since
      from (select id, name from made union all
            select id, name from topics
             where realm_id = ${tx.realmId} and channel_id = ${channel_id} and name_key = ${key}) t`
  return { topic_id: found.id, topic_since: found.since, topic_spelling: found.name === topic ? null : topic }
}
