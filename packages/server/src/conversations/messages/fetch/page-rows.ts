import type { MessageObject } from '@parley/api/conversations/messages'
import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { many } from '../../../platform/db/query.ts'
import { type Entry, listedHistoryColumn, wholeHistories } from '../model/edit-history.ts'
import { mePrefix } from '../model/normalize-text.ts'
import { isUnread, isWildcardMention, personalJoins, received } from '../model/read-state.ts'
import { subscribedRanges } from '../model/received.ts'
import { topicOfMessage } from '../model/topic-spelling.ts'

/** The ids of messages, or a query for them. */
export type Selection = number[] | Fragment

export interface MessageRow {
  id: number
  recipient_id: number
  channel_id: number | null
  channel_name: string | null
  topic: string | null
  user_ids: number[] | null
  sender_id: number
  timestamp: number
  client: string
  /** In the format that the client requested. */
  content: string
  is_me_message: boolean
  /** Of messages found by a search, unless the client requested it as content. */
  rendered_content: string | null
  history: Entry[] | null
  reactions: MessageObject['reactions'] | null
  submessages: MessageObject['submessages'] | null
  flags: number
  is_received: boolean
  is_unread: boolean
  mentions_everybody: boolean
}

/** Aggregating is expensive even where there is nothing to aggregate, so it is skipped for most messages. */
const reactionsColumn: Fragment = sql`
  case when exists (select 1 from reactions where realm_id = m.realm_id and message_id = m.id) then (
    select json_agg(json_build_object('emoji_name', emoji_name, 'emoji_code', emoji_code,
                                      'reaction_type', reaction_type, 'user_id', user_id) order by created_at, user_id)
      from reactions where realm_id = m.realm_id and message_id = m.id) end`

const submessagesColumn: Fragment = sql`
  case when exists (select 1 from submessages where realm_id = m.realm_id and message_id = m.id) then (
    select json_agg(json_build_object('id', id, 'message_id', message_id, 'sender_id', sender_id,
                                      'msg_type', msg_type, 'content', content) order by id)
      from submessages where realm_id = m.realm_id and message_id = m.id) end`

/** The columns with the text: the format that the client requested, and HTML if a search highlights words in it. */
export interface Texts {
  asHtml: boolean
  highlights: boolean
}

/** The rows of the messages, ascending by id. Conversations are looked up once for all of their messages. */
export async function readMessageRows(
  db: Db,
  caller: Caller,
  ids: Selection,
  { asHtml, highlights }: Texts,
): Promise<MessageRow[]> {
  const inPage = sql`realm_id = ${caller.realm_id} and id = any((select ids from page)::bigint[])`
  const wasSubscribed = sql`r.subscribed_ids @> m.id`
  return many<MessageRow>(db)`
    with page as materialized (select ${Array.isArray(ids) ? sql`${ids}::bigint[]` : ids} as ids),
    whole as materialized (${wholeHistories(inPage)}),
    r as materialized (${conversationsWith(caller, sql`select distinct recipient_id, channel_id from messages where ${inPage}`)})
    select m.id, m.recipient_id, m.channel_id, r.channel_name, ${topicOfMessage} as topic, r.user_ids, m.sender_id,
           floor(date_part('epoch', m.date_sent))::bigint as timestamp, m.client,
           ${sql.ref(asHtml ? 'm.rendered_content' : 'm.content')} as content,
           starts_with(m.content, ${sql.lit(mePrefix)}) as is_me_message,
           ${highlights && !asHtml ? sql.ref('m.rendered_content') : sql`null`} as rendered_content,
           ${listedHistoryColumn} as history,
           ${reactionsColumn} as reactions, ${submessagesColumn} as submessages, coalesce(f.flags, 0) as flags,
           ${received(caller, wasSubscribed)} as is_received, ${isUnread(caller)} as is_unread,
           ${isWildcardMention(caller, wasSubscribed)} as mentions_everybody
      from (select * from messages where ${inPage}) m
      join r on r.recipient_id = m.recipient_id
      left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
      ${personalJoins(caller)}
     order by m.id`
}

/** Names, members and the caller's read state of conversations `k`. */
function conversationsWith({ id, realm_id }: Caller, conversations: Fragment): Fragment {
  return sql`
    select k.recipient_id, c.name as channel_name, g.user_ids, coalesce(d.read_floor, s.read_floor) as floor,
           ${subscribedRanges({ realm: realm_id, user: id, channel: sql`k.channel_id` })} as subscribed_ids
      from (${conversations}) k
      left join channels c on c.realm_id = ${realm_id} and c.id = k.channel_id
      left join subscriptions s on s.realm_id = ${realm_id} and s.user_id = ${id} and s.channel_id = k.channel_id and s.is_active
      left join direct_conversations g on g.realm_id = ${realm_id} and g.recipient_id = k.recipient_id
      left join direct_participants d on d.realm_id = ${realm_id} and d.user_id = ${id} and d.recipient_id = k.recipient_id`
}
