import { sql } from 'kysely'
import { type Entry, historyColumn, sortedHistory } from '../../conversations/messages/model/edit-history.ts'
import { topicOfMessage } from '../../conversations/messages/model/topic-spelling.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many, one } from '../../platform/db/query.ts'
import { type Lines, pageSize, rowsOf, type Section } from './rows.ts'
import { belongs, type Scope } from './scope.ts'

/** Messages, oldest first, with their edit history, reactions and submessages. */
export const messages: Section = {
  tables: ['messages', 'topics', 'direct_conversations', 'topic_history', 'reactions', 'submessages'],
  lines: messageLines,
}

/** Topics with their renames. Those of protected channels could name what nobody of the consenting users can read. */
export const topics: Section = {
  tables: ['topics', 'topic_history'],
  lines: (db, { realmId, isFull, channels }) =>
    rowsOf(
      db,
      sql<object>`
        select t.id, t.channel_id, t.name,
               coalesce((select json_agg(json_build_object('number', number, 'up_to_message', up_to_message, 'entry', entry) order by number)
                           from topic_history where realm_id = t.realm_id and topic_id = t.id), '[]') as history
          from topics t join channels c on c.realm_id = t.realm_id and c.id = t.channel_id
         where t.realm_id = ${realmId} and t.channel_id = any(${channels}::bigint[])
           and (${isFull} or c.history_public_to_subscribers) order by t.id`,
    ),
}

/** Uploads that the exported messages link to. */
export const files: Section = { tables: ['attachments', 'attachment_messages'], lines: fileLines }

/** Only the history is changed on its way into the file. */
interface ExportedMessage {
  history: Entry[]
  [column: string]: unknown
}

/** Reads fixed ranges of message ids, so that each query is short even if few messages in the range are exported. */
async function* messageLines(db: Db, scope: Scope): Lines {
  const { last_message } = await db
    .selectFrom('realm_counters')
    .select('last_message')
    .where('realm_id', '=', scope.realmId)
    .executeTakeFirstOrThrow()
  for (let after = 0; after < last_message; after += pageSize)
    for (const { history, ...message } of await messagesAfter(db, scope, after))
      yield { ...message, edit_history: sortedHistory(history).map(({ number: _, resolving: __, ...entry }) => entry) }
}

async function messagesAfter(db: Db, scope: Scope, after: number): Promise<ExportedMessage[]> {
  return many<ExportedMessage>(db)`
    select m.id, m.sender_id, m.channel_id, m.topic_id, ${topicOfMessage} as topic, g.user_ids as recipients,
           floor(extract(epoch from m.date_sent))::bigint as date_sent,
           (extract(epoch from m.date_sent) * 1000000)::bigint as date_sent_us, m.client, m.content, m.rendered_content,
           m.read_by_sender, ${historyColumn} as history,
           coalesce((select json_agg(json_build_object('emoji_name', emoji_name, 'emoji_code', emoji_code,
                                      'reaction_type', reaction_type, 'user_id', user_id,
                                      'created_at_us', (extract(epoch from created_at) * 1000000)::bigint) order by created_at, user_id)
              from reactions where realm_id = m.realm_id and message_id = m.id), '[]') as reactions,
           coalesce((select json_agg(json_build_object('id', id, 'sender_id', sender_id, 'msg_type', msg_type,
                                      'content', content) order by id)
              from submessages where realm_id = m.realm_id and message_id = m.id), '[]') as submessages
              ${scope.isFull ? stored : sql``}
      from messages m
      left join channels c on c.realm_id = m.realm_id and c.id = m.channel_id
      left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
      left join direct_conversations g on g.realm_id = m.realm_id and g.recipient_id = m.recipient_id
     where m.realm_id = ${scope.realmId} and m.id > ${after} and m.id <= ${after + pageSize} and ${belongs(scope)}
     order by m.id`
}

/** What an import needs to restore edits exactly: those of the topic and those of the message are kept apart. */
const stored = sql`, m.topic_since, m.topic_spelling, m.mentions_channel, m.edit_history as own_history`

async function* fileLines(db: Db, scope: Scope): Lines {
  for (let after = 0; ; ) {
    const last = await lastFileOfPage(db, scope, after)
    if (last === null) return
    const rows = await many<object>(db)`
      select a.id, a.owner_id, a.name, a.path_id, a.content_type, a.size,
             extract(epoch from a.create_time)::bigint as create_time, array_agg(m.id order by m.id) as message_ids
        from attachments a
        join attachment_messages l on l.realm_id = a.realm_id and l.attachment_id = a.id
        join messages m on m.realm_id = l.realm_id and m.id = l.message_id
        left join channels c on c.realm_id = m.realm_id and c.id = m.channel_id
       where a.realm_id = ${scope.realmId} and a.id > ${after} and a.id <= ${last} and ${belongs(scope)}
       group by a.realm_id, a.id order by a.id`
    yield* rows
    after = last
  }
}

async function lastFileOfPage(db: Db, { realmId }: Scope, after: number): Promise<number | null> {
  const { last } = await one<{ last: number | null }>(db)`
    select max(id) as last from (
      select id from attachments where realm_id = ${realmId} and id > ${after} order by id limit ${pageSize}) page`
  return last
}
