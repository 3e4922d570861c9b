import type { UnreadMessages } from '@parley/api/register'
import { sql } from 'kysely'
import { flagBits } from '../messages/flag-bits.ts'
import { isMuted, unreadMessages } from '../messages/read-state.ts'
import { shownTopic, topicKey } from '../messages/text.ts'
import type { Db } from '../platform/db/pool.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Caller } from '../users/caller.ts'

const mostStarred = 10_000
const mostUnread = 50_000

export async function starredState({ db, caller }: Snapshot): Promise<object> {
  const { rows } = await sql<{ message_id: number }>`
    select message_id from message_flags
     where realm_id = ${caller.realm_id} and user_id = ${caller.id} and flags & ${sql.lit(flagBits.starred)} <> 0
     order by message_id desc limit ${mostStarred}`.execute(db)
  return { starred_messages: rows.map(({ message_id }) => message_id).reverse() }
}

/** What is unread in one topic or one direct conversation. */
interface UnreadGroup {
  channel_id: number | null
  topic: string | null
  user_ids: number[] | null
  is_muted: boolean
  ids: number[]
  mentions: number[] | null
}

export async function unreadState({ db, caller, capabilities }: Snapshot): Promise<object> {
  const groups = await readUnread(db, caller)
  const total = groups.reduce((sum, { ids }) => sum + ids.length, 0)
  const bothering = groups.filter(({ is_muted }) => !is_muted)
  const unread_msgs: UnreadMessages = {
    count: bothering.reduce((sum, { ids }) => sum + ids.length, 0),
    pms: pmsOf(groups, caller.id),
    streams: streamsOf(groups, capabilities.empty_topic_name === true),
    huddles: huddlesOf(groups),
    mentions: groups.flatMap(({ mentions }) => mentions ?? []),
    old_unreads_missing: total >= mostUnread,
  }
  return { unread_msgs }
}

async function readUnread(db: Db, caller: Caller): Promise<UnreadGroup[]> {
  const { id, realm_id } = caller
  const mentioned = sql.lit(flagBits.mentioned)
  const byWildcard = sql`(m.mentions_channel or m.flags & ${sql.lit(flagBits.topic_wildcard_mentioned | flagBits.stream_wildcard_mentioned)} <> 0)`
  const { rows } = await sql<UnreadGroup>`
    with newest as (select * from (${unreadMessages(caller)}) u order by u.id desc limit ${mostUnread}),
    judged as (
      select m.id, m.channel_id, m.topic_id, m.recipient_id, m.is_muted,
             m.flags & ${mentioned} <> 0 or (${byWildcard} and not m.is_muted) as is_mentioned
        from (select m.*, ${isMuted(caller)} as is_muted
                from newest m
                left join user_topics v on v.realm_id = ${realm_id} and v.user_id = ${id} and v.topic_id = m.topic_id) m
    ), grouped as (
      select channel_id, topic_id, recipient_id, is_muted, array_agg(id order by id) as ids,
             array_agg(id order by id) filter (where is_mentioned) as mentions
        from judged group by channel_id, topic_id, recipient_id, is_muted
    )
    select m.channel_id, t.name as topic, d.user_ids, m.is_muted, m.ids, m.mentions
      from grouped m
      left join topics t on t.realm_id = ${realm_id} and t.id = m.topic_id
      left join direct_conversations d on d.realm_id = ${realm_id} and d.recipient_id = m.recipient_id`.execute(db)
  return rows
}

function pmsOf(groups: UnreadGroup[], self: number): UnreadMessages['pms'] {
  return groups
    .filter(({ user_ids }) => user_ids !== null && user_ids.length <= 2)
    .map(({ user_ids, ids }) => {
      const other = user_ids!.find((id) => id !== self) ?? self
      return { other_user_id: other, sender_id: other, unread_message_ids: ids }
    })
    .sort((a, b) => a.other_user_id - b.other_user_id)
}

function huddlesOf(groups: UnreadGroup[]): UnreadMessages['huddles'] {
  return groups
    .filter(({ user_ids }) => user_ids !== null && user_ids.length > 2)
    .map(({ user_ids, ids }) => ({ user_ids_string: user_ids!.join(','), unread_message_ids: ids }))
    .sort((a, b) => (a.user_ids_string < b.user_ids_string ? -1 : 1))
}

function streamsOf(groups: UnreadGroup[], allowsEmpty: boolean): UnreadMessages['streams'] {
  return groups
    .filter(({ channel_id }) => channel_id !== null)
    .sort((a, b) => a.channel_id! - b.channel_id! || (topicKey(a.topic!) < topicKey(b.topic!) ? -1 : 1))
    .map(({ channel_id, topic, ids }) => ({
      stream_id: channel_id!,
      topic: shownTopic(topic!, allowsEmpty),
      unread_message_ids: ids,
    }))
}
