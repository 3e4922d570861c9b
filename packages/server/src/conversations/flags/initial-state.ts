import type { UnreadMessages } from '@parley/api/delivery/register'
import { sql } from 'kysely'
import { column } from '../../platform/db/query.ts'
import type { Snapshot } from '../../snapshot.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import { shownTopic } from '../messages/model/normalize-text.ts'
import { maxUnread, readUnread, type UnreadGroup } from './unread.ts'

const mostStarred = 10_000

export async function starredState({ db, caller }: Snapshot): Promise<object> {
  const messageIds = await column<number>(db)`
    select message_id from message_flags
     where realm_id = ${caller.realm_id} and user_id = ${caller.id} and flags & ${sql.lit(flagBits.starred)} <> 0
     order by message_id desc limit ${mostStarred}`
  return { starred_messages: messageIds.reverse() }
}

export async function unreadState(snapshot: Snapshot): Promise<object> {
  const groups = await readUnread(snapshot)
  const notMuted = groups.filter(({ is_muted }) => !is_muted)
  const unread_msgs: UnreadMessages = {
    count: countIds(notMuted),
    pms: pmsOf(groups, snapshot.caller.id),
    streams: streamsOf(groups, snapshot.capabilities.empty_topic_name === true),
    huddles: huddlesOf(groups),
    mentions: groups.flatMap(({ mentions }) => mentions),
    old_unreads_missing: countIds(groups) >= maxUnread,
  }
  return { unread_msgs }
}

function countIds(groups: UnreadGroup[]): number {
  return groups.reduce((sum, { ids }) => sum + ids.length, 0)
}

function pmsOf(groups: UnreadGroup[], self: number): UnreadMessages['pms'] {
  return groups
    .filter(({ place: { user_ids } }) => user_ids !== null && user_ids.length <= 2)
    .map(({ place: { user_ids }, ids }) => {
      const other = user_ids!.find((id) => id !== self) ?? self
      return { other_user_id: other, sender_id: other, unread_message_ids: ids }
    })
    .sort((a, b) => a.other_user_id - b.other_user_id)
}

function huddlesOf(groups: UnreadGroup[]): UnreadMessages['huddles'] {
  return groups
    .filter(({ place: { user_ids } }) => user_ids !== null && user_ids.length > 2)
    .map(({ place: { user_ids }, ids }) => ({ user_ids_string: user_ids!.join(','), unread_message_ids: ids }))
    .sort((a, b) => (a.user_ids_string < b.user_ids_string ? -1 : 1))
}

function streamsOf(groups: UnreadGroup[], allowsEmpty: boolean): UnreadMessages['streams'] {
  return groups
    .flatMap(({ place, ids }) => (place.channel_id === null ? [] : [{ place, ids }]))
    .sort((a, b) => a.place.channel_id - b.place.channel_id || (a.place.key < b.place.key ? -1 : 1))
    .map(({ place: { channel_id, topic }, ids }) => ({
      stream_id: channel_id,
      topic: shownTopic(topic, allowsEmpty),
      unread_message_ids: ids,
    }))
}
