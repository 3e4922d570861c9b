import { sql } from 'kysely'
import { policies } from '../messages/model/read-state.ts'
import type { Database } from '../platform/db/pool.ts'
import { maybeOne, one } from '../platform/db/query.ts'

/** Messages that are looked at in one transaction. */
const batchSize = 500
/** After a longer outage, older messages no longer notify anyone. */
const maxAgeHours = 24

/** What there is to do: usually nothing, so one query finds that out. */
interface Backlog {
  /** Realms with messages whose recipients have not been looked up yet. */
  realm_ids: number[]
  has_due: boolean
  /** Whether a browser was ever registered. */
  is_in_use: boolean
}

export function readBacklog(db: Database): Promise<Backlog> {
  return one<Backlog>(db)`
    select array(select c.realm_id from web_push_cursors c join realm_counters r on r.realm_id = c.realm_id
                  where r.last_message > c.last_message) as realm_ids,
           exists (select 1 from web_push_deliveries where due_at <= now()) as has_due,
           exists (select 1 from web_push_cursors) as is_in_use`
}

/**
 * Plans a delivery of the realm's next messages to every browser whose user they may concern, and moves the cursor past
 * them. Sending a message therefore costs nothing, however many browsers there are. Message ids follow commit order, so
 * that none is missed. Returns whether there may be more.
 */
export function planDeliveries(db: Database, realmId: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const cursor = await maybeOne<{ after: number; upTo: number }>(tx)`
      select c.last_message as after, least(r.last_message, c.last_message + ${batchSize}) as "upTo"
        from web_push_cursors c join realm_counters r on r.realm_id = c.realm_id
       where c.realm_id = ${realmId} and r.last_message > c.last_message
         for update of c skip locked`
    if (!cursor) return false
    await insertDeliveries(tx, realmId, cursor.after, cursor.upTo)
    await sql`update web_push_cursors set last_message = ${cursor.upTo} where realm_id = ${realmId}`.execute(tx)
    return cursor.upTo - cursor.after === batchSize
  })
}

/**
 * Candidates are found by index, without looking at all subscribers. Whether a message really notifies a user is decided
 * when it is sent: deliver.ts.
 */
async function insertDeliveries(db: Database, realmId: number, after: number, upTo: number): Promise<void> {
  await sql`
    with n as materialized (
      select m.id, m.channel_id, m.topic_id, m.recipient_id, m.sender_id, m.mentions_channel from messages m
       where m.realm_id = ${realmId} and m.id > ${after} and m.id <= ${upTo}
         and m.date_sent > now() - make_interval(hours => ${maxAgeHours})
    ), readers as (
      select s.channel_id, s.user_id,
             coalesce(s.push_notifications, (u.settings ->> 'enable_stream_push_notifications')::boolean, false) as wants_all
        from (select distinct user_id from web_push_subscriptions where realm_id = ${realmId}) w
        join users u on u.id = w.user_id
        join subscriptions s on s.realm_id = ${realmId} and s.user_id = w.user_id and s.is_active
       where s.channel_id in (select channel_id from n)
    ), candidates as (
      select n.id, d.user_id from n
        join direct_participants d on d.realm_id = ${realmId} and d.recipient_id = n.recipient_id
       where n.channel_id is null
      union
      select n.id, f.user_id from n join message_flags f on f.realm_id = ${realmId} and f.message_id = n.id
      union
      select n.id, v.user_id from n join user_topics v on v.realm_id = ${realmId} and v.topic_id = n.topic_id
       where v.visibility_policy = ${sql.lit(policies.followed)}
      union
      select n.id, r.user_id from n join readers r on r.channel_id = n.channel_id
       where r.wants_all or n.mentions_channel
    )
    insert into web_push_deliveries (subscription_id, realm_id, message_id)
    select w.id, w.realm_id, c.id from candidates c
      join n on n.id = c.id and n.sender_id <> c.user_id
      join web_push_subscriptions w on w.realm_id = ${realmId} and w.user_id = c.user_id
    on conflict do nothing`.execute(db)
}
