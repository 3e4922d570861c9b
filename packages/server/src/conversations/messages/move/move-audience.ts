import { sql } from 'kysely'
import type { Tx } from '../../../events/transact.ts'
import { isGuestUser } from '../../../organization/groups/role-conditions.ts'
import { column, many } from '../../../platform/db/query.ts'
import type { Channel } from '../../channels/access.ts'
import { holdsReadingPermission, isSubscribedTo } from '../../channels/visibility/conditions.ts'
import type { Editing } from '../edit/lock-for-edit.ts'
import { audienceOf } from '../model/audience.ts'
import { wasReceived } from '../model/received.ts'

/** Users who lose access to messages, with the ids of the messages they could read. */
export interface AccessLoss {
  users: number[]
  ids: number[]
}

/** Which users receive which events when messages move to another channel. */
export interface MoveAudience {
  /** Users who cannot read the new channel. */
  lost: number[]
  losses: AccessLoss[]
  /** Users who receive the `update_message` event. */
  recipients: number[]
}

/** Call it before the flags move: it reads who received the messages in the old channel. */
export async function findMoveAudience(
  tx: Tx,
  { message, place }: Editing,
  to: Channel,
  ids: number[],
): Promise<MoveAudience> {
  const from = place!.channel
  const lost = await findUsersLosingAccess(tx, place!, to, ids)
  const candidates = from.history_public_to_subscribers
    ? await findEventRecipients(tx, from, to, message.id)
    : await findMessageRecipients(tx, from, message.id)
  const losers = new Set(lost)
  return {
    lost,
    losses: await findLosses(tx, from, lost, ids),
    recipients: candidates.filter((user) => !losers.has(user)),
  }
}

/** Which of the messages each user loses. Call it while their rows in `message_flags` still exist. */
export async function findLosses(tx: Tx, from: Channel, lost: number[], ids: number[]): Promise<AccessLoss[]> {
  if (lost.length === 0 || ids.length === 0) return []
  return from.history_public_to_subscribers ? [{ users: lost, ids }] : readReceived(tx, from, lost, ids)
}

/**
 * Users who could read the old channel and cannot read the new one. Considers the subscribers of the old channel. If it
 * is public, also its former subscribers and users who have flags for a message or a policy for the topic.
 */
async function findUsersLosingAccess(
  tx: Tx,
  { channel: from, topic }: NonNullable<Editing['place']>,
  to: Channel,
  ids: number[],
): Promise<number[]> {
  const isPublic = sql`${!from.invite_only}::boolean`
  const mayReadHistory = to.history_public_to_subscribers ? holdsReadingPermission(to) : sql`false`
  const isReadable = to.invite_only ? mayReadHistory : sql`true`
  return column<number>(tx.db)`
    select u.id from users u
     where u.realm_id = ${tx.realmId} and u.is_active and u.id in (
       select user_id from subscriptions where realm_id = ${tx.realmId} and channel_id = ${from.id} and (is_active or ${isPublic})
       union all
       select user_id from message_flags where ${isPublic} and realm_id = ${tx.realmId} and message_id = any(${ids}::bigint[])
       union all
       select user_id from user_topics where ${isPublic} and realm_id = ${tx.realmId} and topic_id = ${topic.id})
       and not ${isSubscribedTo(to)}
       and case when ${isGuestUser} then ${isSubscribedTo(from)} else not ${isReadable} end
     order by u.id`
}

async function readReceived(tx: Tx, { id }: Channel, users: number[], ids: number[]): Promise<AccessLoss[]> {
  return many<AccessLoss>(tx.db)`
    select array_agg(user_id order by user_id) as users, ids::json as ids from (
      select u.user_id, array_to_json(array_agg(m.id order by m.id))::text as ids
        from unnest(${users}::bigint[]) as u(user_id) cross join unnest(${ids}::bigint[]) as m(id)
       where ${wasReceived({ realm: tx.realmId, user: sql`u.user_id`, channel: id })}
       group by u.user_id) alike
     group by alike.ids order by 1`
}

/**
 * Subscribers of either channel and other users with flags for the message. Guests only if they could read it before.
 */
async function findEventRecipients(tx: Tx, from: Channel, to: Channel, messageId: number): Promise<number[]> {
  return column<number>(tx.db)`
    select user_id from subscriptions
     where realm_id = ${tx.realmId} and channel_id = ${from.id} and is_active
    union
    select s.user_id from subscriptions s join users u on u.realm_id = s.realm_id and u.id = s.user_id and not ${isGuestUser}
     where s.realm_id = ${tx.realmId} and s.channel_id = ${to.id} and s.is_active
    union
    select f.user_id from message_flags f join users u on u.realm_id = f.realm_id and u.id = f.user_id and u.is_active and not ${isGuestUser}
     where f.realm_id = ${tx.realmId} and f.message_id = ${messageId} and ${!to.invite_only}::boolean
    order by user_id`
}

async function findMessageRecipients(tx: Tx, channel: Channel, messageId: number): Promise<number[]> {
  const conversation = { realm_id: tx.realmId, recipient_id: channel.recipient_id, channel }
  return (await audienceOf(tx, conversation, [messageId])).users ?? []
}
