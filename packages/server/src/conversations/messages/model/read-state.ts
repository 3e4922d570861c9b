import { sql } from 'kysely'
import type { Fragment, Operand } from '../../../platform/db/fragment.ts'
import { flagBits } from './flag-bits.ts'
import { wasSubscribed } from './received.ts'

/** The user whose read state applies. */
export interface Reader {
  id: Operand
  realm_id: number
}

/** A user and the read floor of the conversation of `m`. */
export interface ReadPosition {
  user: Operand
  floor: Fragment
}

/**
 * The conversations in which the reader can have unread messages, with the read floor of each. Channel messages from
 * before the current subscription are below the floor, because subscribing raises it.
 */
export function conversationsOf({ id, realm_id }: Reader): Fragment {
  return sql`
    select d.recipient_id, null::bigint as channel_id, d.read_floor as floor
      from direct_participants d where d.realm_id = ${realm_id} and d.user_id = ${id}
    union all
    select c.recipient_id, s.channel_id, s.read_floor as floor
      from subscriptions s join channels c on c.id = s.channel_id and c.realm_id = s.realm_id
     where s.realm_id = ${realm_id} and s.user_id = ${id} and s.is_active`
}

/** Joins the conversation `r` of messages `m`, as above, looked up message by message. */
export function conversationJoin({ id, realm_id }: Reader): Fragment {
  return sql`
    left join lateral (
      select d.read_floor as floor from direct_participants d
       where m.channel_id is null and d.realm_id = ${realm_id} and d.user_id = ${id} and d.recipient_id = m.recipient_id
      union all
      select s.read_floor from subscriptions s
       where s.realm_id = ${realm_id} and s.user_id = ${id} and s.channel_id = m.channel_id and s.is_active) r on true`
}

/** Joins the reader's flags `f` and topic policy `v` to messages `m`. */
export function personalJoins({ id, realm_id }: Reader): Fragment {
  return sql`
    left join message_flags f on f.realm_id = ${realm_id} and f.user_id = ${id} and f.message_id = m.id
    left join user_topics v on v.realm_id = ${realm_id} and v.user_id = ${id} and v.topic_id = m.topic_id`
}

/** Whether the reader's flags `f` contain one of the bits. */
export function hasFlag(bits: number): Fragment {
  return sql`(coalesce(f.flags, 0) & ${sql.lit(bits)} <> 0)`
}

/** Whether `m` is unread, given its conversation `r` and the reader's flags `f`. */
export function isUnread({ id }: Reader): Fragment {
  return isUnreadBy({ user: id, floor: sql`r.floor` })
}

/** Whether `m` is unread by a user with flags `f`. A null floor means that the user cannot have unread messages there. */
export function isUnreadBy(position: ReadPosition): Fragment {
  return sql`(${position.floor} is not null and (${hasFlag(flagBits.unread)}
    or (${isAboveFloor(position)} and not ${hasFlag(flagBits.read)})))`
}

/** Whether `m` is unread as long as the user has no flags for it. */
export function isAboveFloor({ user, floor }: ReadPosition): Fragment {
  return sql`(m.id > ${floor} and not (m.read_by_sender and m.sender_id = ${user}))`
}

/**
 * All unread messages with ids above the given one, as rows (id, recipient_id, channel_id, topic_id, mentions_channel,
 * flags). For each conversation: the messages above the read floor, with an index-only scan of messages_by_recipient,
 * and the few exceptions below it.
 */
export function unreadMessages(reader: Reader, above = 0): Fragment {
  const { id, realm_id } = reader
  const isAbove = above > 0 ? sql`and m.id > ${above}` : sql``
  const columns = sql`m.id, m.recipient_id, r.channel_id, m.topic_id, m.mentions_channel, coalesce(f.flags, 0) as flags`
  return sql`
    select ${columns} from (${conversationsOf(reader)}) r
     cross join lateral (
       select m.id, m.recipient_id, m.topic_id, m.mentions_channel, m.read_by_sender, m.sender_id from messages m
        where m.realm_id = ${realm_id} and m.recipient_id = r.recipient_id and m.id > r.floor ${isAbove}
       offset 0) m
      left join message_flags f on f.realm_id = ${realm_id} and f.user_id = ${id} and f.message_id = m.id
     where case when f.flags is null then ${isAboveFloor({ user: id, floor: sql`r.floor` })} else ${isUnread(reader)} end
    union all
    select m.id, m.recipient_id, m.channel_id, m.topic_id, m.mentions_channel, m.flags
      from (${exceptionsBelowFloor(reader)}) m where true ${isAbove}`
}

/**
 * The unread messages of one conversation `k` above its read floor `r`, as rows (id, flags, mentions_channel). `k` has a
 * topic_id, or is a direct conversation with a recipient_id.
 */
export function unreadInConversation(reader: Reader): Fragment {
  const unread = (condition: Fragment) => sql`
    select m.id, coalesce(f.flags, 0) as flags, m.mentions_channel from messages m
      left join message_flags f on f.realm_id = ${reader.realm_id} and f.user_id = ${reader.id} and f.message_id = m.id
     where m.realm_id = ${reader.realm_id} and ${condition} and m.id > r.floor and ${isUnread(reader)}`
  return sql`${unread(sql`m.topic_id = k.topic_id`)}
    union all ${unread(sql`k.topic_id is null and m.recipient_id = k.recipient_id`)}`
}

/** The unread messages below the read floors: those that were marked as unread. */
export function exceptionsBelowFloor(reader: Reader): Fragment {
  return sql`
    select m.id, m.recipient_id, r.channel_id, m.topic_id, m.mentions_channel, f.flags from message_flags f
     cross join lateral (
       select m.id, m.recipient_id, m.topic_id, m.mentions_channel from messages m
        where m.realm_id = f.realm_id and m.id = f.message_id
       offset 0) m
      join (${conversationsOf(reader)}) r on r.recipient_id = m.recipient_id
     where f.realm_id = ${reader.realm_id} and f.user_id = ${reader.id}
       and f.flags & ${sql.lit(flagBits.unread)} <> 0 and m.id <= r.floor`
}

/** Whether the reader was subscribed when the channel message `m` was sent. */
export function receivedInChannel({ id, realm_id }: Reader): Fragment {
  return wasSubscribed({ realm: realm_id, user: id, channel: sql`m.channel_id` })
}

/** Whether the reader received `m`: a direct message, by subscription, or with a flags row `f`. */
export function received(reader: Reader, inChannel = receivedInChannel(reader)): Fragment {
  return sql`(m.channel_id is null or f.message_id is not null or ${inChannel})`
}

/** Whether `m` mentions everyone in its channel or direct conversation and the reader, with flags `f`, received it. */
export function isWildcardMention(reader: Reader, inChannel?: Fragment): Fragment {
  return sql`(${mentionedEveryone(reader, inChannel)} or ${hasFlag(flagBits.stream_wildcard_mentioned)})`
}

/** The same for recipients without a flags row. */
export function mentionedEveryone(reader: Reader, inChannel = receivedInChannel(reader)): Fragment {
  return sql`(m.mentions_channel and (m.channel_id is null or ${inChannel}))`
}

export const policies = { muted: 1, unmuted: 2, followed: 3 } as const

/** Whether `m` is muted for the reader. The policy for the topic takes precedence over the muted channel. */
export function isMuted({ id, realm_id }: Reader): Fragment {
  return sql`(m.channel_id is not null and (
    coalesce(v.visibility_policy, 0) = ${sql.lit(policies.muted)}
    or (coalesce(v.visibility_policy, 0) < ${sql.lit(policies.unmuted)} and m.channel_id in (
      select s.channel_id from subscriptions s
       where s.realm_id = ${realm_id} and s.user_id = ${id} and s.is_active and s.is_muted))))`
}

/** Whether all of conversation `r` is muted: a muted channel in which the reader has unmuted and follows no topic. */
export function isAllMuted({ id, realm_id }: Reader): Fragment {
  return sql`(r.channel_id in (
    select s.channel_id from subscriptions s
     where s.realm_id = ${realm_id} and s.user_id = ${id} and s.is_muted and not exists (
       select 1 from user_topics v join topics t on t.realm_id = v.realm_id and t.id = v.topic_id
        where v.realm_id = ${realm_id} and v.user_id = ${id} and t.channel_id = s.channel_id
          and v.visibility_policy >= ${sql.lit(policies.unmuted)})) is true)`
}

/** What decides whether the conversations of one reader are muted. */
export interface Muting {
  channels: Set<number>
  topics: Set<number>
  /** Topics that the reader wants to see although their channels are muted. */
  unmutedTopics: Set<number>
}

export type MutingColumns = Record<'muted_channels' | 'muted_topics' | 'unmuted_topics', number[]>

/** The columns of `mutingOf`. Exceptions matter only where channels are muted, which most users do not do. */
export function mutingColumns({ id, realm_id }: Reader): Fragment {
  const channels = sql`select s.channel_id from subscriptions s
    where s.realm_id = ${realm_id} and s.user_id = ${id} and s.is_active and s.is_muted`
  const topics = sql`select v.topic_id from user_topics v where v.realm_id = ${realm_id} and v.user_id = ${id}`
  return sql`
    array(${channels}) as muted_channels,
    array(${topics} and v.visibility_policy = ${sql.lit(policies.muted)}) as muted_topics,
    array(${topics} and v.visibility_policy >= ${sql.lit(policies.unmuted)} and exists (${channels})) as unmuted_topics`
}

export function mutingOf({ muted_channels, muted_topics, unmuted_topics }: MutingColumns): Muting {
  return {
    channels: new Set(muted_channels),
    topics: new Set(muted_topics),
    unmutedTopics: new Set(unmuted_topics),
  }
}

/** The rule of `isMuted` for a topic. */
export function isMutedTopic({ channels, topics, unmutedTopics }: Muting, topicId: number, channelId: number): boolean {
  return topics.has(topicId) || (channels.has(channelId) && !unmutedTopics.has(topicId))
}
