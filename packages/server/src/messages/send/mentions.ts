import type { Rendered } from '@parley/markdown/render'
import { sql } from 'kysely'
import { holds, mayInRealm } from '../../groups/permission.ts'
import type { Db } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Caller } from '../../users/caller.ts'
import { topicKey } from '../model/text.ts'
import type { Destination } from './destination.ts'

/** More people than this, and a wildcard mention needs permission. */
const manyPeople = 15

export interface Mentioned {
  /** Who received the message and is mentioned, by name or through a group. */
  users: number[]
  /** Who took part in the topic that is mentioned as a whole. */
  participants: number[]
  /** Bots that hear the message although they are not subscribed. */
  bots: number[]
  /** Outgoing webhooks it is meant for: named, or subscribed and in a named group. */
  services?: number[]
}

export const nobody: Mentioned = { users: [], participants: [], bots: [] }

type Wildcards = Pick<Rendered, 'channelWildcard' | 'topicWildcard'>

/**
 * Whom a message mentions, if its sender may mention them. Wildcards that the message had before an edit need no
 * permission.
 */
export async function accessMentions(
  db: Db,
  sender: Caller,
  destination: Destination,
  rendered: Rendered,
  previous: Wildcards = { channelWildcard: false, topicWildcard: false },
): Promise<Mentioned> {
  if (isPlain(rendered)) return nobody
  const participants =
    destination.kind === 'channel' ? await accessWildcards(db, sender, destination, rendered, previous) : []
  await checkGroups(db, sender, rendered.mentionedGroupIds)
  const people = await mentionedPeople(db, sender, rendered)
  if (destination.kind === 'direct') {
    const inside = new Set(destination.people.map(({ id }) => id))
    return { ...nobody, users: people.filter(({ id }) => inside.has(id)).map(({ id }) => id) }
  }
  const { channel } = destination
  const subscribed = await subscribersAmong(db, sender, channel.id, [...people.map(({ id }) => id), ...participants])
  return {
    users: people.filter(({ id }) => subscribed.has(id)).map(({ id }) => id),
    participants: participants.filter((id) => subscribed.has(id)),
    bots: people.filter(({ id, bot_type }) => bot_type === 1 && !subscribed.has(id)).map(({ id }) => id),
    services: people
      .filter(({ id, bot_type }) => bot_type === 3 && (subscribed.has(id) || rendered.mentionedUserIds.includes(id)))
      .map(({ id }) => id),
  }
}

/** Whoever a mention of the whole topic reaches, if the sender may use the wildcards there are. */
async function accessWildcards(
  db: Db,
  sender: Caller,
  { channel, topic }: Extract<Destination, { kind: 'channel' }>,
  { channelWildcard, topicWildcard }: Wildcards,
  previous: Wildcards,
): Promise<number[]> {
  if (channelWildcard && !previous.channelWildcard) await checkChannelWildcard(db, sender, channel.id)
  if (!topicWildcard) return []
  const participants = await readParticipants(db, sender, channel.id, topic)
  if (!previous.topicWildcard) checkTopicWildcard(sender, participants)
  return participants
}

function isPlain({ mentionedUserIds, mentionedGroupIds, channelWildcard, topicWildcard }: Rendered): boolean {
  return mentionedUserIds.length === 0 && mentionedGroupIds.length === 0 && !channelWildcard && !topicWildcard
}

async function checkGroups(db: Db, sender: Caller, groupIds: number[]): Promise<void> {
  if (groupIds.length === 0) return
  const groups = await db
    .selectFrom('user_groups')
    .select(['name', 'can_mention_group'])
    .where('realm_id', '=', sender.realm_id)
    .where('id', 'in', groupIds)
    .execute()
  const refused = groups.find((group) => !holds(sender, group.can_mention_group, true))
  if (refused) throw new ApiError(`You are not allowed to mention user group '${refused.name}'.`)
}

/** Active people who are named, or who are in a named group, however deep. */
async function mentionedPeople(db: Db, sender: Caller, { mentionedUserIds, mentionedGroupIds }: Rendered) {
  const { rows } = await sql<{ id: number; bot_type: number | null }>`
    with recursive below as (
      select unnest(${mentionedGroupIds}::bigint[]) as group_id
      union
      select s.subgroup_id from group_subgroups s join below on s.group_id = below.group_id where s.realm_id = ${sender.realm_id}
    )
    select u.id, u.bot_type from users u
     where u.realm_id = ${sender.realm_id} and u.is_active
       and (u.id = any(${mentionedUserIds}::bigint[])
            or u.id in (select m.user_id from group_members m join below using (group_id) where m.realm_id = ${sender.realm_id}))`.execute(
    db,
  )
  return rows
}

async function checkChannelWildcard(db: Db, sender: Caller, channelId: number): Promise<void> {
  if (mayInRealm(sender, sender.realm, 'can_mention_many_users_group')) return
  const { rows } = await sql<{ many: boolean }>`
    select count(*) > ${manyPeople} as many from (
      select 1 from subscriptions s join users u on u.id = s.user_id
       where s.realm_id = ${sender.realm_id} and s.channel_id = ${channelId} and s.is_active and u.is_active
       limit ${manyPeople + 1}) few`.execute(db)
  if (rows[0]!.many)
    throw new ApiError(
      'You do not have permission to use channel wildcard mentions in this channel.',
      'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    )
}

/** The sender, and users who sent a message to the topic or reacted to one in it. */
async function readParticipants(db: Db, sender: Caller, channelId: number, topic: string): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    with t as (select id from topics where realm_id = ${sender.realm_id} and channel_id = ${channelId} and name_key = ${topicKey(topic)})
    select m.sender_id as user_id from messages m, t where m.realm_id = ${sender.realm_id} and m.topic_id = t.id
    union
    select r.user_id from reactions r join messages m on m.realm_id = r.realm_id and m.id = r.message_id, t
     where m.realm_id = ${sender.realm_id} and m.topic_id = t.id`.execute(db)
  return [...new Set([sender.id, ...rows.map(({ user_id }) => user_id)])]
}

function checkTopicWildcard(sender: Caller, participants: number[]): void {
  if (participants.length > manyPeople && !mayInRealm(sender, sender.realm, 'can_mention_many_users_group'))
    throw new ApiError(
      'You do not have permission to use topic wildcard mentions in this topic.',
      'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
    )
}

async function subscribersAmong(db: Db, sender: Caller, channelId: number, userIds: number[]): Promise<Set<number>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('subscriptions')
    .select('user_id')
    .where('realm_id', '=', sender.realm_id)
    .where('channel_id', '=', channelId)
    .where('is_active', '=', true)
    .where('user_id', 'in', userIds)
    .execute()
  return new Set(rows.map(({ user_id }) => user_id))
}
