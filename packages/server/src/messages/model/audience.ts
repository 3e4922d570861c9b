import type { Channel } from '../../channels/access.ts'
import type { Audience } from '../../events/log.ts'
import { sharedStep } from '../../events/shared-step.ts'
import type { Tx } from '../../events/transact.ts'
import { isGuestUser } from '../../groups/role-conditions.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column, many } from '../../platform/db/query.ts'
import { valueRows } from '../../platform/db/value-rows.ts'
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
  const users = await readHolders(tx, { channelId: channel.id, ids })
  return { channel: channel.id, ...(users.length > 0 && { users }) }
}

export const readParticipants = sharedStep(async (tx, recipientIds: number[]) => {
  const rows = await tx.db
    .selectFrom('direct_conversations')
    .select(['recipient_id', 'user_ids'])
    .where(matches({ realm_id: tx.realmId, recipient_id: recipientIds }))
    .execute()
  return recipientIds.map((id) => rows.find(({ recipient_id }) => recipient_id === id)!.user_ids)
})

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
 * Users who are not subscribed to a public channel, but received one of the messages earlier or have flags for one. Few
 * hold a message: each is looked up, because a join might read all users of the realm.
 */
const readHolders = sharedStep(async (tx, asked: { channelId: number; ids: number[] }[]): Promise<number[][]> => {
  const messages = asked.flatMap(({ channelId, ids }, place) => ids.map((id) => ({ place, channel_id: channelId, id })))
  const rows = await many<{ place: number; user_id: number }>(tx.db)`
    select m.place, h.user_id
      from ${valueRows('m', messages, { place: 'integer', channel_id: 'bigint', id: 'bigint' })}
     cross join lateral (
       select f.user_id from message_flags f where f.realm_id = ${tx.realmId} and f.message_id = m.id
       union
       select p.user_id from subscription_periods p
        where p.realm_id = ${tx.realmId} and p.channel_id = m.channel_id and p.to_message >= m.id and ${sentDuringPeriod}) h
     where (select u.is_active and not ${isGuestUser} from users u where u.realm_id = ${tx.realmId} and u.id = h.user_id)
       and (select s.is_active from subscriptions s where s.realm_id = ${tx.realmId} and s.user_id = h.user_id
               and s.channel_id = m.channel_id) is not true
     order by h.user_id`
  const users = Map.groupBy(rows, ({ place }) => place)
  return asked.map((_, place) => [...new Set(users.get(place)?.map(({ user_id }) => user_id))])
})
