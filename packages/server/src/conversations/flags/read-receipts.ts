import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { isVisibleUser } from '../../people/users/visibility/visible-users.ts'
import type { Db } from '../../platform/db/pool.ts'
import { column } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { accessMessage } from '../messages/model/access.ts'
import { isUnreadBy } from '../messages/model/read-state.ts'
import { sentDuringPeriod } from '../messages/model/received.ts'

/** Users who have read a message, send read receipts and are visible, without the sender and mutes in either direction. */
export async function readReceipts(db: Db, caller: Caller, messageId: number): Promise<number[]> {
  const message = await accessMessage(db, caller, messageId)
  if (!caller.realm.settings.enable_read_receipts)
    throw new ApiError('Read receipts are disabled in this organization.')
  const readers = message.channel_id === null ? directReaders : channelReaders
  return column<number>(db)`
    select u.id from (${readers(caller.realm_id, message.id)}) reader
      join users u on u.id = reader.user_id and u.realm_id = ${caller.realm_id}
     where u.is_active and u.id <> ${message.sender_id}
       and coalesce((u.settings ->> 'send_read_receipts')::boolean, true) and ${isVisibleUser(caller)}
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
       and not ${isUnreadBy({ user: sql`d.user_id`, floor: sql`d.read_floor` })}`
}

/** Users who received the message. After unsubscribing, they have read it. */
function channelReaders(realmId: number, id: number) {
  return sql`
    select h.user_id from messages m
     cross join lateral (
       select p.user_id from subscription_periods p
        where p.realm_id = m.realm_id and p.channel_id = m.channel_id and ${sentDuringPeriod}
       union
       select f.user_id from message_flags f where f.realm_id = m.realm_id and f.message_id = m.id
     ) h
      left join message_flags f on f.realm_id = m.realm_id and f.user_id = h.user_id and f.message_id = m.id
      left join subscriptions s on s.realm_id = m.realm_id and s.user_id = h.user_id and s.channel_id = m.channel_id
                               and s.is_active
     where m.realm_id = ${realmId} and m.id = ${id} and not ${isUnreadBy({ user: sql`h.user_id`, floor: sql`s.read_floor` })}`
}
