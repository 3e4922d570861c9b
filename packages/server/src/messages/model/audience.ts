import { sql } from 'kysely'
import type { Channel } from '../../channels/access.ts'
import type { Audience } from '../../events/log.ts'
import { isGuestUser } from '../../groups/role-conditions.ts'
import { oneOf } from '../../platform/db/fragment.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column } from '../../platform/db/query.ts'
import { sentDuringPeriod } from './received.ts'

/** Where a message is: in a channel, or in the direct conversation with this recipient id. */
export interface Conversation {
  realm_id: number
  recipient_id: number
  channel: Channel | null
}

/**
 * The audience of events about existing messages of one conversation: users who can read the messages and are
 * subscribed or received one of them. For a channel, lock it first (accessMessageToChange), so that no user of the
 * audience unsubscribes before the event is written.
 */
export async function audienceOf(db: Db, conversation: Conversation, ids: number[]): Promise<Audience> {
  const { channel, realm_id, recipient_id } = conversation
  if (!channel) return { users: await readParticipants(db, realm_id, recipient_id) }
  if (!channel.history_public_to_subscribers) return { users: await readReceivers(db, channel, ids) }
  if (channel.invite_only) return { channel: channel.id }
  const users = await readHolders(db, channel, ids)
  return { channel: channel.id, ...(users.length > 0 && { users }) }
}

export async function readParticipants(db: Db, realmId: number, recipientId: number): Promise<number[]> {
  const row = await db
    .selectFrom('direct_conversations')
    .select('user_ids')
    .where(matches({ realm_id: realmId, recipient_id: recipientId }))
    .executeTakeFirstOrThrow()
  return row.user_ids
}

/** Subscribers of a channel with protected history who received one of the messages. */
export async function readReceivers(db: Db, { realm_id, id }: Channel, ids: number[]): Promise<number[]> {
  return column<number>(db)`
    select s.user_id from subscriptions s join users u on u.id = s.user_id and u.is_active
     where s.realm_id = ${realm_id} and s.channel_id = ${id} and s.is_active
       and (exists (select 1 from subscription_periods p, unnest(${ids}::bigint[]) as m(id)
                     where p.realm_id = ${realm_id} and p.user_id = s.user_id and p.channel_id = ${id}
                       and ${sentDuringPeriod})
            or exists (select 1 from message_flags f
                        where f.realm_id = ${realm_id} and f.user_id = s.user_id and f.message_id = any(${ids}::bigint[])))
     order by s.user_id`
}

/**
 * Users who are not subscribed to a public channel, but received one of the messages earlier or have flags for one. They
 * are found before the users are read: few hold a message, but all users of the realm would have to be checked.
 */
async function readHolders(db: Db, { realm_id, id }: Channel, ids: number[]): Promise<number[]> {
  return column<number>(db)`
    with holders as materialized (
      select f.user_id from message_flags f where f.realm_id = ${realm_id} and ${oneOf(sql`f.message_id`, ids)}
      union
      select p.user_id from subscription_periods p
       where p.realm_id = ${realm_id} and p.channel_id = ${id} and p.to_message >= ${Math.min(...ids)}
         and exists (select 1 from unnest(${ids}::bigint[]) as m(id) where ${sentDuringPeriod})
    )
    select u.id from holders h join users u on u.realm_id = ${realm_id} and u.id = h.user_id
     where u.is_active and not ${isGuestUser}
       and not exists (select 1 from subscriptions s where s.realm_id = ${realm_id} and s.user_id = u.id
                          and s.channel_id = ${id} and s.is_active)
     order by u.id`
}
