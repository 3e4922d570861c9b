import type { Conversation } from '@parley/api/conversations/conversations'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { type Form, messageObjects } from '../messages/fetch/message-objects.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import { conversationsOf, exceptionsBelowFloor, isMuted, unreadInConversation } from '../messages/model/read-state.ts'
import { wasReceived } from '../messages/model/received.ts'
import { type ConversationParams, type FoundConversation, findPlaces } from './find-conversations.ts'

/** How many of the latest messages are searched for participants. */
const searchedMessages = 20
const mostParticipants = 5

/** A page of the caller's conversations, the one with the newest message first. */
export async function readConversations(
  db: Db,
  caller: Caller,
  params: ConversationParams,
  form: Form,
): Promise<{ conversations: Conversation[]; found_oldest: boolean }> {
  const found = await findPlaces(db, caller, params)
  const places = found.slice(0, params.limit)
  const details = await readDetails(db, caller, places)
  const messages = await messageObjects(
    db,
    caller,
    places.map(({ id }) => id),
    form,
  )
  const byId = new Map(messages.map((message) => [message.id, message]))
  const conversations = places.map(({ id }, index) => ({ last_message: byId.get(id)!, ...details[index]! }))
  return { conversations, found_oldest: found.length <= params.limit }
}

type Details = Omit<Conversation, 'last_message'>

/** What the page shows of each conversation, in the order of the places. */
async function readDetails(db: Db, caller: Caller, places: FoundConversation[]): Promise<Details[]> {
  const { id, realm_id } = caller
  const wildcards = flagBits.topic_wildcard_mentioned | flagBits.stream_wildcard_mentioned
  return many<Details>(db)`
    with exceptions as materialized (${exceptionsBelowFloor(caller)}), k as (
      select m.ordinal, m.id, m.recipient_id, m.channel_id, m.topic_id, r.floor,
             ${isMuted(caller)} as is_muted, coalesce(v.visibility_policy, 0) as visibility_policy
        from unnest(${places.map((place) => place.id)}::bigint[], ${places.map((place) => place.recipient_id)}::bigint[],
                    ${places.map((place) => place.channel_id)}::bigint[], ${places.map((place) => place.topic_id)}::bigint[])
             with ordinality as m(id, recipient_id, channel_id, topic_id, ordinal)
        left join (${conversationsOf(caller)}) r on r.recipient_id = m.recipient_id
        left join user_topics v on v.realm_id = ${realm_id} and v.user_id = ${id} and v.topic_id = m.topic_id)
    select k.is_muted, k.visibility_policy, u.unread_count, u.is_mentioned, s.participants
      from k
     cross join lateral (
       select count(*) as unread_count,
              coalesce(bool_or(u.flags & ${sql.lit(flagBits.mentioned)} <> 0 or not k.is_muted
                and (u.mentions_channel or u.flags & ${sql.lit(wildcards)} <> 0)), false) as is_mentioned
         from (select flags, mentions_channel from (select k.floor) r, lateral (${unreadInConversation(caller)}) above
               union all
               select e.flags, e.mentions_channel from exceptions e
                where e.recipient_id = k.recipient_id and e.topic_id is not distinct from k.topic_id) u) u
     cross join lateral (${recentSenders(caller)}) s
     order by k.ordinal`
}

/** The users who sent the latest messages of conversation `k` that the caller may read. */
function recentSenders({ id, realm_id }: Caller): Fragment {
  const received = wasReceived({ realm: realm_id, user: id, channel: sql`k.channel_id` })
  const latest = (condition: Fragment) =>
    sql`(select m.id, m.sender_id from messages m where m.realm_id = ${realm_id} and ${condition}
          order by m.id desc limit ${searchedMessages})`
  return sql`
    select array(
      select m.sender_id from (
        ${latest(sql`m.topic_id = k.topic_id and (
          (select c.history_public_to_subscribers from channels c where c.realm_id = ${realm_id} and c.id = k.channel_id) or ${received})`)}
        union all
        ${latest(sql`k.topic_id is null and m.recipient_id = k.recipient_id`)}) m
       group by m.sender_id order by max(m.id) desc limit ${mostParticipants}) as participants`
}
