import type { UnreadMessages } from '@parley/api/register'
import { sql } from 'kysely'
import { flagBits } from '../messages/model/flag-bits.ts'
import { shownTopic, topicKey } from '../messages/model/normalize-text.ts'
import { column } from '../platform/db/query.ts'
import type { Snapshot } from '../snapshot.ts'
import { maxUnread, readUnread, type UnreadGroup } from './unread.ts'

const mostStarred = 10_000

export async function starredState({ db, caller }: Snapshot): Promise<object> {
  const messageIds = await column<number>(db)`
    select message_id from message_flags
     where realm_id = ${caller.realm_id} and user_id = ${caller.id} and flags & ${sql.lit(flagBits.starred)} <> 0
     order by message_id desc limit ${mostStarred}`
  return { starred_messages: messageIds.reverse() }
}

export async function unreadState({ db, caller, capabilities }: Snapshot): Promise<object> {
  const groups = await readUnread(db, caller)
  const total = groups.reduce((sum, { ids }) => sum + ids.length, 0)
  const notMuted = groups.filter(({ is_muted }) => !is_muted)
  const unread_msgs: UnreadMessages = {
    count: notMuted.reduce((sum, { ids }) => sum + ids.length, 0),
    pms: pmsOf(groups, caller.id),
    streams: streamsOf(groups, capabilities.empty_topic_name === true),
    huddles: huddlesOf(groups),
    mentions: groups.flatMap(({ mentions }) => mentions),
    old_unreads_missing: total >= maxUnread,
  }
  return { unread_msgs }
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
