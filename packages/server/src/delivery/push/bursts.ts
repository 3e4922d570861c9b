import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { decideAll } from '../notifications/decide.ts'
import type { Delivery } from './push-deliveries.ts'

/** More pushes of a conversation within the time become one that counts. */
export const maxInBurst = 5
const burstSeconds = 60
/** Pushes that follow each other are about messages that are about as near as this. */
const nearby = 10_000

export type Burst =
  /** Nothing to join: how many messages the push stands for. */
  | { count: number }
  /** There were enough of them: until when it waits, in seconds since 1970. */
  | { until: number }
  /** A later push counts it. */
  | 'joined'

/** Whether a push to a browser is one of many about its conversation. */
export async function burstOf(db: Db, viewer: Caller, delivery: Delivery): Promise<Burst> {
  const { realm_id, user_id, subscription_id, message_id, waits_for } = delivery
  const { sent, free_at, joined, later_ids } = await one<{
    sent: number
    free_at: number | null
    joined: number
    later_ids: number[]
  }>(db)`
    with place as materialized (
      select recipient_id, topic_id from messages where realm_id = ${realm_id} and id = ${message_id}
    ), trail as materialized (
      select t.outcome, t.reason, t.at from notification_trail t
        join messages m on m.realm_id = t.realm_id and m.id = t.message_id
        join place p on p.recipient_id = m.recipient_id and p.topic_id is not distinct from m.topic_id
       where t.realm_id = ${realm_id} and t.user_id = ${user_id} and t.way = 'push' and t.target_id = ${subscription_id}
         and t.message_id between ${message_id - nearby}::bigint and ${message_id + nearby}::bigint
         and t.at > now() - make_interval(secs => ${burstSeconds * 2})
    ), recent as materialized (
      select at from trail where outcome = 'sent' and at > now() - make_interval(secs => ${burstSeconds})
       order by at desc limit ${sql.lit(maxInBurst)}
    )
    select (select count(*) from recent) as sent,
           (select ceil(extract(epoch from min(at)))::integer + ${burstSeconds}::integer from recent) as free_at,
           (select count(*) from trail where reason = 'burst'
               and at > coalesce((select max(at) from trail where outcome = 'sent'), '-infinity')) as joined,
           array(select d.message_id from web_push_deliveries d
                   join messages m on m.realm_id = d.realm_id and m.id = d.message_id
                   join place p on p.recipient_id = m.recipient_id and p.topic_id is not distinct from m.topic_id
                  where d.realm_id = ${realm_id} and d.subscription_id = ${subscription_id} and d.verb = 'show' and d.message_id > ${message_id}
                    and (d.due_at <= now() or d.waits_for = 'burst')
                  order by d.message_id desc limit 50) as later_ids`
  if (waits_for !== 'burst' && sent + joined + later_ids.length < maxInBurst) return { count: 1 + joined }
  if (sent >= maxInBurst) return { until: free_at! }
  return (await isWorthIt(db, viewer, later_ids)) ? 'joined' : { count: 1 + joined }
}

/** Whether a later push will be sent: otherwise nothing would count this one. */
async function isWorthIt(db: Db, viewer: Caller, messageIds: number[]): Promise<boolean> {
  if (messageIds.length === 0) return false
  const decided = await decideAll(db, viewer, messageIds)
  return decided.some(({ decision }) => decision.push !== undefined && decision.quietUntil === undefined)
}
