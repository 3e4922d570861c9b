import { sql } from 'kysely'
import { loader } from '../../../events/commit/loader.ts'
import type { Audience } from '../../../events/log.ts'
import type { Tx } from '../../../events/transact.ts'
import { isGuestUser } from '../../../organization/groups/role-conditions.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { column } from '../../../platform/db/query.ts'
import type { Channel } from '../../channels/access.ts'
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
export async function audienceOf(tx: Tx, conversation: Conversation, ids: number[]): Promise<Audience> {
  const { channel, recipient_id } = conversation
  if (!channel) return { users: await readParticipants(tx, recipient_id) }
  if (!channel.history_public_to_subscribers) return { users: await readReceivers(tx.db, channel, ids) }
  if (channel.invite_only) return { channel: channel.id }
  const holders = await readHolders(
    tx,
    ids.map((id) => ({ channel_id: channel.id, id })),
  )
  const users = [...new Set(holders.map(({ user_id }) => user_id))]
  return { channel: channel.id, ...(users.length > 0 && { users }) }
}

export async function readParticipants(tx: Tx, recipientId: number): Promise<number[]> {
  const [conversation] = await readConversation(tx, { recipient_id: recipientId })
  return conversation!.user_ids
}

const readConversation = loader(
  { recipient_id: 'bigint' },
  ({ realmId }, k) => sql<{ recipient_id: number; user_ids: number[] }>`
    select recipient_id, user_ids from direct_conversations
     where realm_id = ${realmId} and recipient_id = any(array(select k.recipient_id from ${k}))`,
)

/** Subscribers of a channel with protected history who received one of the messages. */
export async function readReceivers(db: Db, { realm_id, id }: Channel, ids: number[]): Promise<number[]> {
  return column<number>(db)`
    select s.user_id from subscriptions s join users u on u.realm_id = s.realm_id and u.id = s.user_id and u.is_active
     where s.realm_id = ${realm_id} and s.channel_id = ${id} and s.is_active
       and (exists (select 1 from subscription_periods p, unnest(${ids}::bigint[]) as m(id)
                     where p.realm_id = ${realm_id} and p.user_id = s.user_id and p.channel_id = ${id}
                       and ${sentDuringPeriod})
            or exists (select 1 from message_flags f
                        where f.realm_id = ${realm_id} and f.user_id = s.user_id and f.message_id = any(${ids}::bigint[])))
     order by s.user_id`
}

/**
 * Users who are not subscribed to a public channel, but received one of the messages earlier or have flags for one. Few
 * hold a message: each is looked up, because a join might read all users of the realm.
 */
const readHolders = loader(
  { channel_id: 'bigint', id: 'bigint' },
  ({ realmId }, m) => sql<{ user_id: number }>`
    select m.place, h.user_id
      from (select * from ${m}) m
     cross join lateral (
       select f.user_id from message_flags f where f.realm_id = ${realmId} and f.message_id = m.id
       union
       select p.user_id from subscription_periods p
        where p.realm_id = ${realmId} and p.channel_id = m.channel_id and p.to_message >= m.id and ${sentDuringPeriod}) h
     where (select u.is_active and not ${isGuestUser} from users u where u.realm_id = ${realmId} and u.id = h.user_id)
       and (select s.is_active from subscriptions s where s.realm_id = ${realmId} and s.user_id = h.user_id
               and s.channel_id = m.channel_id) is not true
     order by h.user_id`,
)
