import { sql } from 'kysely'
import type { Database } from '../../platform/db/pool.ts'

/** Recomputes the weekly number of messages of each channel. */
export async function refreshChannelTraffic(db: Database): Promise<void> {
  const realms = await db.selectFrom('realms').select('id').where('deactivated', '=', false).execute()
  for (const { id } of realms) await refreshRealm(db, id)
}

/**
 * A quarter of the messages of the last 28 days, scaled up for newer channels, with two significant digits. Channels in
 * their first week have no value. Dates increase with ids, so only recent messages are scanned.
 */
async function refreshRealm(db: Database, realmId: number): Promise<void> {
  await sql`
    with counts as (
      select m.channel_id, count(*) as messages from messages m
       where m.realm_id = ${realmId} and m.channel_id is not null
         and m.id > coalesce((select id from messages where realm_id = ${realmId} and date_sent <= now() - interval '28 days'
                               order by id desc limit 1), 0)
       group by m.channel_id
    ), ages as (
      select c.id, extract(epoch from now() - c.date_created) / 86400 as days, coalesce(n.messages, 0) as messages
        from channels c left join counts n on n.channel_id = c.id
       where c.realm_id = ${realmId} and not c.is_archived
    ), weekly as (
      select id, messages, messages * 7 / least(days, 28) as mean from ages where days >= 7
    ), rounded as (
      select id, case when messages = 0 then 0
                      when mean < 100 then greatest(round(mean), 1)
                      else round(mean, 1 - floor(log(mean))::integer) end as traffic
        from weekly
    )
    update channels c set weekly_traffic = r.traffic
      from rounded r
     where c.realm_id = ${realmId} and c.id = r.id and c.weekly_traffic is distinct from r.traffic`.execute(db)
}
