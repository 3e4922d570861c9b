import { sql } from 'kysely'
import type { Caller } from '../../../callers/caller.ts'
import type { Fragment } from '../../../platform/db/fragment.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { one } from '../../../platform/db/query.ts'
import { sentDuringPeriod, wasReceived } from './received.ts'

type Recipient = Pick<Caller, 'realm_id' | 'id'>

/** How many of the realm's newest messages are checked one by one, before every conversation of the user is. */
const recent = 50

/** The newest message the account received, -1 if there is none. */
export async function newestMessageId(db: Db, user: Recipient): Promise<number> {
  const { newest } = await one<{ newest: number }>(db)`
    select coalesce((${newestAmongRecent(user)}), (${newestOfEachConversation(user)}), -1) as newest`
  return newest
}

function newestAmongRecent({ realm_id, id }: Recipient): Fragment {
  return sql`
    select m.id from (
      select m.* from messages m where m.realm_id = ${realm_id} order by m.id desc limit ${sql.lit(recent)}) m
     where case when m.channel_id is not null
             then ${wasReceived({ realm: realm_id, user: id, channel: sql`m.channel_id` })}
             else exists (select 1 from direct_participants d
                           where d.realm_id = ${realm_id} and d.user_id = ${id} and d.recipient_id = m.recipient_id) end
     order by m.id desc limit 1`
}

function newestOfEachConversation({ realm_id, id }: Recipient): Fragment {
  return sql`
    select max(newest) from (
      select (select max(m.id) from messages m
               where m.realm_id = ${realm_id} and m.recipient_id = c.recipient_id
                 and ${sentDuringPeriod}) as newest
        from subscription_periods p join channels c on c.realm_id = p.realm_id and c.id = p.channel_id
       where p.realm_id = ${realm_id} and p.user_id = ${id}
      union all
      select (select max(m.id) from messages m where m.realm_id = ${realm_id} and m.recipient_id = d.recipient_id)
        from direct_participants d where d.realm_id = ${realm_id} and d.user_id = ${id}
      union all
      select max(message_id) from message_flags where realm_id = ${realm_id} and user_id = ${id}
    ) received`
}
