import { sql } from 'kysely'
import { accessMessage } from '../messages/model/access.ts'
import { flagBits } from '../messages/model/flag-bits.ts'
import type { Db } from '../platform/db/pool.ts'
import { column } from '../platform/db/query.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Caller } from '../users/caller.ts'

const read = sql.lit(flagBits.read)
const unread = sql.lit(flagBits.unread)

/** Users who have read a message and send read receipts, without the sender, and without mutes in either direction. */
export async function readReceipts(db: Db, caller: Caller, messageId: number): Promise<number[]> {
  const message = await accessMessage(db, caller, messageId)
  if (!caller.realm.settings.enable_read_receipts)
    throw new ApiError('Read receipts are disabled in this organization.')
  const readers = message.channel_id === null ? directReaders : channelReaders
  return column<number>(db)`
    select u.id from (${readers(caller.realm_id, message.id)}) reader
      join users u on u.id = reader.user_id and u.realm_id = ${caller.realm_id}
     where u.is_active and u.id <> ${message.sender_id}
       and coalesce((u.settings ->> 'send_read_receipts')::boolean, true)
       and not exists (select 1 from muted_users x where x.realm_id = ${caller.realm_id}
                          and ((x.user_id = ${caller.id} and x.muted_user_id = u.id)
                               or (x.user_id = u.id and x.muted_user_id = ${caller.id})))
     order by u.id`
}

function directReaders(realmId: number, id: number) {
  return sql`
    select d.user_id from messages m
      join direct_participants d on d.realm_id = m.realm_id and d.recipient_id = m.recipient_id
      left join message_flags f on f.realm_id = m.realm_id and f.user_id = d.user_id and f.message_id = m.id
     where m.realm_id = ${realmId} and m.id = ${id}
       and coalesce(f.flags, 0) & ${unread} = 0 and (m.id <= d.read_floor or coalesce(f.flags, 0) & ${read} <> 0)`
}

/** The same rule as isUnread in messages/model/read-state.ts, for every user who received the message. */
function channelReaders(realmId: number, id: number) {
  return sql`
    select h.user_id from messages m
     cross join lateral (
       select p.user_id from subscription_periods p
        where p.realm_id = m.realm_id and p.channel_id = m.channel_id and p.from_message < m.id
          and (p.to_message is null or m.id <= p.to_message)
       union
       select f.user_id from message_flags f where f.realm_id = m.realm_id and f.message_id = m.id
     ) h
      left join message_flags f on f.realm_id = m.realm_id and f.user_id = h.user_id and f.message_id = m.id
      left join subscriptions s on s.realm_id = m.realm_id and s.user_id = h.user_id and s.channel_id = m.channel_id
                               and s.is_active
      left join subscription_periods now on now.realm_id = s.realm_id and now.user_id = s.user_id
                                        and now.channel_id = s.channel_id and now.to_message is null
     where m.realm_id = ${realmId} and m.id = ${id}
       and (s.user_id is null
            or (coalesce(f.flags, 0) & ${unread} = 0
                and (m.id <= greatest(s.read_floor, now.from_message) or coalesce(f.flags, 0) & ${read} <> 0)))`
}
