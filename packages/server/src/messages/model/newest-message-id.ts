import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import type { Caller } from '../../users/caller.ts'
import { sentDuringPeriod } from './received.ts'

/** The newest message the account received, -1 if there is none. */
export async function newestMessageId(db: Db, { realm_id, id }: Pick<Caller, 'realm_id' | 'id'>): Promise<number> {
  const { newest } = await one<{ newest: number }>(db)`
    select coalesce(max(newest), -1) as newest from (
      select (select max(m.id) from messages m
               where m.realm_id = ${realm_id} and m.recipient_id = c.recipient_id
                 and ${sentDuringPeriod}) as newest
        from subscription_periods p join channels c on c.id = p.channel_id
       where p.realm_id = ${realm_id} and p.user_id = ${id}
      union all
      select (select max(m.id) from messages m where m.realm_id = ${realm_id} and m.recipient_id = d.recipient_id)
        from direct_participants d where d.realm_id = ${realm_id} and d.user_id = ${id}
      union all
      select max(message_id) from message_flags where realm_id = ${realm_id} and user_id = ${id}
    ) received`
  return newest
}
