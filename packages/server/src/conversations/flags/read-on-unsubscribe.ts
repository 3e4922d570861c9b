import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { many } from '../../platform/db/query.ts'
import type { Channel } from '../channels/access.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import { isUnreadBy } from '../messages/model/read-state.ts'

const read = sql.lit(flagBits.read)
const unread = sql.lit(flagBits.unread)

/** Events list at most this many of the newest unread messages; clients drop the rest with the subscription. */
const maxListedIds = 1000

/**
 * Marks a channel as read for users who unsubscribe, because only subscribers can have unread messages. Call it before
 * they are unsubscribed; unsubscribing itself raises the read floor.
 */
export async function markReadOnUnsubscribe(tx: Tx, channel: Channel, userIds: number[]): Promise<void> {
  for (const { user_id, messages } of await findUnread(tx, channel, userIds))
    tx.emit(
      { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', messages, all: false },
      { users: [user_id] },
    )
  await clearExceptions(tx, channel, userIds)
}

async function findUnread(tx: Tx, { id, recipient_id }: Channel, userIds: number[]) {
  return many<{ user_id: number; messages: number[] }>(tx.db)`
    select s.user_id, array_agg(m.id order by m.id) as messages
      from subscriptions s
     cross join lateral (
       (select m.id from messages m
          left join message_flags f on f.realm_id = m.realm_id and f.user_id = s.user_id and f.message_id = m.id
         where m.realm_id = ${tx.realmId} and m.recipient_id = ${recipient_id} and m.id > s.read_floor
           and ${isUnreadBy({ user: sql`s.user_id`, floor: sql`s.read_floor` })}
         order by m.id desc limit ${maxListedIds})
       union all
       (select m.id from message_flags f
          join messages m on m.realm_id = f.realm_id and m.id = f.message_id and m.recipient_id = ${recipient_id}
         where f.realm_id = ${tx.realmId} and f.user_id = s.user_id and f.flags & ${unread} <> 0
           and m.id <= s.read_floor)
     ) m
     where s.realm_id = ${tx.realmId} and s.channel_id = ${id} and s.user_id = any(${userIds}::bigint[])
     group by s.user_id order by s.user_id`
}

/** Clears the read and unread bits: the raised floor makes them obsolete. */
async function clearExceptions(tx: Tx, { recipient_id }: Channel, userIds: number[]): Promise<void> {
  const ofChannel = sql`f.realm_id = ${tx.realmId} and f.user_id = any(${userIds}::bigint[])
    and m.realm_id = f.realm_id and m.id = f.message_id and m.recipient_id = ${recipient_id}`
  await sql`
    delete from message_flags f using messages m
     where ${ofChannel} and f.flags <> 0 and f.flags & ~(${read} | ${unread}) = 0`.execute(tx.db)
  await sql`
    update message_flags f set flags = f.flags & ~(${read} | ${unread}) from messages m
     where ${ofChannel} and f.flags & (${read} | ${unread}) <> 0`.execute(tx.db)
}
