import { mayInRealm, mayMention } from '@parley/api/permissions'
import type { Rendered } from '@parley/markdown/render'
import type { Caller } from '../../../callers/caller.ts'
import { usersWithin } from '../../../organization/groups/nested-groups.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column, columnOf, many, one } from '../../../platform/db/query.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { topicKey } from '../model/normalize-text.ts'
import type { Destination } from './destination.ts'

/** A wildcard mention of more users than this needs permission. */
const manyUsers = 15

export interface Mentioned {
  /** Recipients who are mentioned by name or through a group. */
  users: number[]
  /** Participants of the topic, if the message mentions the whole topic. */
  participants: number[]
  /** Mentioned bots that receive the message although they are not subscribed. */
  bots: number[]
  /** Outgoing webhooks that it triggers: mentioned by name, or subscribed and in a mentioned group. */
  services?: number[]
}

export const nobody: Mentioned = { users: [], participants: [], bots: [] }

type Wildcards = Pick<Rendered, 'channelWildcard' | 'topicWildcard'>

/**
 * Finds the users a message mentions and checks that its sender may mention them. Wildcards that the message had
 * before an edit need no permission.
 */
export function accessMentions(
  db: Db,
  sender: Caller,
  destination: Destination,
  rendered: Rendered,
  previous: Wildcards = { channelWildcard: false, topicWildcard: false },
): Mentioned | Promise<Mentioned> {
  return isPlain(rendered) ? nobody : accessMentioned(db, sender, destination, rendered, previous)
}

async function accessMentioned(
  db: Db,
  sender: Caller,
  destination: Destination,
  rendered: Rendered,
  previous: Wildcards,
): Promise<Mentioned> {
  const participants =
    destination.kind === 'channel' ? await accessWildcards(db, sender, destination, rendered, previous) : []
  await checkGroups(db, sender, rendered.mentionedGroupIds)
  const users = await mentionedUsers(db, sender, rendered)
  if (destination.kind === 'direct') {
    const participantIds = new Set(destination.participants.map(({ id }) => id))
    return { ...nobody, users: users.filter(({ id }) => participantIds.has(id)).map(({ id }) => id) }
  }
  const { channel } = destination
  const subscribed = await subscribersAmong(db, sender, channel.id, [...users.map(({ id }) => id), ...participants])
  return {
    users: users.filter(({ id }) => subscribed.has(id)).map(({ id }) => id),
    participants: participants.filter((id) => subscribed.has(id)),
    bots: users.filter(({ id, bot_type }) => bot_type === 1 && !subscribed.has(id)).map(({ id }) => id),
    services: users
      .filter(({ id, bot_type }) => bot_type === 3 && (subscribed.has(id) || rendered.mentionedUserIds.includes(id)))
      .map(({ id }) => id),
  }
}

/** Checks the permission for wildcards. Returns the participants of the topic if the whole topic is mentioned. */
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
    .where(matches({ realm_id: sender.realm_id, id: groupIds }))
    .execute()
  const refused = groups.find((group) => !mayMention(sender, group))
  if (refused) throw new ApiError(`You are not allowed to mention user group '${refused.name}'.`)
}

/** Active users who are mentioned by name, or who are in a mentioned group or its subgroups. */
async function mentionedUsers(db: Db, sender: Caller, { mentionedUserIds, mentionedGroupIds }: Rendered) {
  return many<{ id: number; bot_type: number | null }>(db)`
    select u.id, u.bot_type from users u
     where u.realm_id = ${sender.realm_id} and u.is_active
       and (u.id = any(${mentionedUserIds}::bigint[])
            or u.id in (${usersWithin(sender.realm_id, mentionedGroupIds)}))`
}

async function checkChannelWildcard(db: Db, sender: Caller, channelId: number): Promise<void> {
  if (mayInRealm(sender, sender.realm, 'can_mention_many_users_group')) return
  const { many } = await one<{ many: boolean }>(db)`
    select count(*) > ${manyUsers} as many from (
      select 1 from subscriptions s join users u on u.realm_id = s.realm_id and u.id = s.user_id
       where s.realm_id = ${sender.realm_id} and s.channel_id = ${channelId} and s.is_active and u.is_active
       limit ${manyUsers + 1}) few`
  if (many)
    throw new ApiError(
      'You do not have permission to use channel wildcard mentions in this channel.',
      'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    )
}

/** The sender, and users who sent a message to the topic or reacted to one in it. */
async function readParticipants(db: Db, sender: Caller, channelId: number, topic: string): Promise<number[]> {
  const userIds = await column<number>(db)`
    with t as (select id from topics where realm_id = ${sender.realm_id} and channel_id = ${channelId} and name_key = ${topicKey(topic)})
    select m.sender_id as user_id from messages m, t where m.realm_id = ${sender.realm_id} and m.topic_id = t.id
    union
    select r.user_id from reactions r join messages m on m.realm_id = r.realm_id and m.id = r.message_id, t
     where m.realm_id = ${sender.realm_id} and m.topic_id = t.id`
  return [...new Set([sender.id, ...userIds])]
}

function checkTopicWildcard(sender: Caller, participants: number[]): void {
  if (participants.length > manyUsers && !mayInRealm(sender, sender.realm, 'can_mention_many_users_group'))
    throw new ApiError(
      'You do not have permission to use topic wildcard mentions in this topic.',
      'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
    )
}

async function subscribersAmong(db: Db, sender: Caller, channelId: number, userIds: number[]): Promise<Set<number>> {
  if (userIds.length === 0) return new Set()
  const { realm_id } = sender
  const subscribed = matches({ realm_id, channel_id: channelId, is_active: true, user_id: userIds })
  return new Set(await columnOf(db.selectFrom('subscriptions').select('user_id').where(subscribed)))
}
