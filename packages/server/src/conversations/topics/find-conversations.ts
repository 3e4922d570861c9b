import type { getConversations } from '@parley/api/conversations/conversations'
import type { ParamsOf } from '@parley/api/operation'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { isSubscribedBy } from '../channels/visibility/conditions.ts'
import { isOpenTo } from '../messages/model/access.ts'
import {
  conversationsOf,
  exceptionsBelowFloor,
  isMuted,
  policies,
  unreadInConversation,
  unreadMessages,
} from '../messages/model/read-state.ts'
import { sentDuringPeriod, wasReceived } from '../messages/model/received.ts'

export type ConversationParams = ParamsOf<typeof getConversations>

/** A conversation and its newest message that the caller may read. */
export interface FoundConversation {
  id: number
  recipient_id: number
  channel_id: number | null
  topic_id: number | null
}

/** How many of the latest messages are searched first, for each conversation of a page. */
const messagesPerConversation = 20

/**
 * One more than the limit, if there are more. Usually the latest messages contain enough conversations; otherwise each
 * conversation costs one lookup in an index of messages. Neither grows with the number of messages.
 */
export async function findPlaces(db: Db, caller: Caller, params: ConversationParams): Promise<FoundConversation[]> {
  const latest = await find(db, caller, params, latestPlaces(caller, params))
  return latest.length > params.limit ? latest : find(db, caller, params, allPlaces(caller, params))
}

function find(db: Db, caller: Caller, params: ConversationParams, places: Fragment): Promise<FoundConversation[]> {
  const { before, limit, filter } = params
  return many<FoundConversation>(db)`
    with flagged as materialized (${flaggedTopics(caller)}), exceptions as materialized (${exceptionsBelowFloor(caller)}),
         unread as materialized (select distinct recipient_id, topic_id from (${unreadMessages(caller)}) u)
    select k.id, k.recipient_id, k.channel_id, k.topic_id from (${places}) k
      ${filter === 'unread' ? sql`join (${conversationsOf(caller)}) r on r.recipient_id = k.recipient_id` : sql``}
     where ${before === undefined ? sql`true` : sql`k.id < ${before}`}
       and ${filter === 'unread' ? hasUnread(caller) : sql`true`}
     order by k.id desc limit ${limit + 1}`
}

/** Whether topic `t` of channel `c` is to be listed. The filter `unread` is applied later. */
function isListed(caller: Caller, { filter, include_unsubscribed, stream_id }: ConversationParams): Fragment {
  return sql`c.realm_id = ${caller.realm_id} and not c.is_archived
    and ${stream_id === undefined ? sql`true` : sql`c.id = ${stream_id}`}
    and ${include_unsubscribed ? isOpenTo(caller) : isSubscribedBy(caller.id)} and ${topicFilter(caller, filter)}`
}

/** Whether direct conversations are listed, too. */
function hasDirect({ filter, stream_id }: ConversationParams): boolean {
  return filter !== 'followed' && stream_id === undefined
}

/** The conversations of the latest messages, without those that also have newer messages than the page. */
function latestPlaces(caller: Caller, params: ConversationParams): Fragment {
  const { id, realm_id } = caller
  const { before, limit } = params
  const end = before ?? sql`(select last_message + 1 from realm_counters where realm_id = ${realm_id})`
  const within = sql`m.realm_id = ${realm_id} and m.id < ${end} and m.id >= ${end} - ${sql.lit(limit * messagesPerConversation)}`
  const received = (channel: Fragment) => wasReceived({ realm: realm_id, user: id, channel })
  const newer = (condition: Fragment) =>
    sql`exists (select 1 from messages m where m.realm_id = ${realm_id} and m.id >= ${before} and ${condition} offset 0)`
  const isNewest =
    before === undefined
      ? sql`true`
      : sql`not ${newer(sql`m.topic_id = k.topic_id and (k.is_shared or ${received(sql`k.channel_id`)})`)}
            and not ${newer(sql`k.topic_id is null and m.recipient_id = k.recipient_id`)}`
  return sql`
    select k.id, k.recipient_id, k.channel_id, k.topic_id from (
      select max(m.id) as id, c.recipient_id, c.id as channel_id, t.id as topic_id,
             c.history_public_to_subscribers as is_shared
        from messages m join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
        join channels c on c.realm_id = t.realm_id and c.id = t.channel_id
       where ${within} and ${isListed(caller, params)}
         and (c.history_public_to_subscribers or ${received(sql`c.id`)})
       group by c.realm_id, c.id, t.id
      union all
      select max(m.id), m.recipient_id, null, null, true
        from messages m join direct_participants d on d.realm_id = m.realm_id and d.recipient_id = m.recipient_id
       where ${within} and d.user_id = ${id} and ${hasDirect(params)}::boolean
       group by m.recipient_id) k
     where ${isNewest}`
}

function allPlaces(caller: Caller, params: ConversationParams): Fragment {
  const { id, realm_id } = caller
  const isUnread = params.filter === 'unread'
  const inChannels = sql`${isListed(caller, params)}
    and ${isUnread ? sql`t.id in (select topic_id from unread)` : sql`true`}`
  const topics = sql`channels c join topics t on t.realm_id = c.realm_id and t.channel_id = c.id`
  return sql`
    select newest.id, c.recipient_id, c.id as channel_id, t.id as topic_id from ${topics}
     cross join lateral (select m.id from messages m where m.realm_id = ${realm_id} and m.topic_id = t.id
                          order by m.id desc limit 1) newest
     where c.history_public_to_subscribers and ${inChannels}
    union all
    select newest.id, c.recipient_id, c.id, t.id from ${topics}
     cross join lateral (select greatest((${newestReceived(caller)}),
                                         (select f.id from flagged f where f.topic_id = t.id)) as id) newest
     where not c.history_public_to_subscribers and newest.id is not null and ${inChannels}
    union all
    select newest.id, d.recipient_id, null, null from direct_participants d
     cross join lateral (select m.id from messages m where m.realm_id = ${realm_id} and m.recipient_id = d.recipient_id
                          order by m.id desc limit 1) newest
     where d.realm_id = ${realm_id} and d.user_id = ${id} and ${hasDirect(params)}::boolean
       and ${isUnread ? sql`d.recipient_id in (select recipient_id from unread)` : sql`true`}`
}

function topicFilter({ id, realm_id }: Caller, filter: ConversationParams['filter']): Fragment {
  if (filter === 'followed')
    return sql`t.id in (select topic_id from user_topics where realm_id = ${realm_id} and user_id = ${id}
                           and visibility_policy = ${sql.lit(policies.followed)})`
  if (filter === 'participated')
    return sql`t.id in (select topic_id from messages where realm_id = ${realm_id} and sender_id = ${id})`
  return sql`true`
}

/** With protected history: the newest message of topic `t` that was sent while the caller was subscribed. */
function newestReceived({ id, realm_id }: Caller): Fragment {
  return sql`
    select max(received.id) from subscription_periods p,
           lateral (select m.id from messages m
                     where m.realm_id = ${realm_id} and m.topic_id = t.id and ${sentDuringPeriod}
                     order by m.id desc limit 1) received
     where p.realm_id = ${realm_id} and p.user_id = ${id} and p.channel_id = c.id`
}

/** With protected history, flagged messages were received, too. Not executed in a realm without such channels. */
function flaggedTopics({ id, realm_id }: Caller): Fragment {
  return sql`
    select m.topic_id, max(m.id) as id
      from message_flags f
     cross join lateral (select m.id, m.topic_id, m.channel_id from messages m
                          where m.realm_id = f.realm_id and m.id = f.message_id
                         offset 0) m
      join channels c on c.realm_id = ${realm_id} and c.id = m.channel_id and not c.history_public_to_subscribers
     where f.realm_id = ${realm_id} and f.user_id = ${id}
       and exists (select 1 from channels where realm_id = ${realm_id} and not history_public_to_subscribers)
     group by m.topic_id`
}

/** Whether conversation `k`, with read floor `r`, is not muted and has unread messages. */
function hasUnread(caller: Caller): Fragment {
  return sql`(k.id > r.floor and exists (select 1 from (${unreadInConversation(caller)}) unread)
      or exists (select 1 from exceptions e where e.recipient_id = k.recipient_id and e.topic_id is not distinct from k.topic_id))
    and not exists (select 1 from (select k.channel_id, k.topic_id) m
                      left join user_topics v on v.realm_id = ${caller.realm_id} and v.user_id = ${caller.id}
                                             and v.topic_id = m.topic_id
                     where ${isMuted(caller)})`
}
