import { sql } from 'kysely'
import type { Database } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { candidatesOf, type NewMessages, planNext } from '../notifications/plan-notifications.ts'

/** What there is to do: usually nothing, so one query finds that out. */
interface Backlog {
  /** Realms with messages whose recipients have not been looked up yet. */
  realm_ids: number[]
  /** Realms whose log goes on: something may end notifications. */
  changed_realm_ids: number[]
  has_due: boolean
  /** Whether a browser was ever registered. */
  is_in_use: boolean
}

export function readBacklog(db: Database): Promise<Backlog> {
  return one<Backlog>(db)`
    select array(select c.realm_id from web_push_cursors c join realm_counters r on r.realm_id = c.realm_id
                  where r.last_message > c.last_message) as realm_ids,
           array(select c.realm_id from web_push_cursors c join realm_counters r on r.realm_id = c.realm_id
                  where r.last_event is distinct from c.last_event) as changed_realm_ids,
           exists (select 1 from web_push_deliveries where due_at <= now()) as has_due,
           exists (select 1 from web_push_cursors) as is_in_use`
}

/** Plans a delivery of the realm's next messages to every browser whose user they may concern. */
export function planDeliveries(db: Database, realmId: number): Promise<boolean> {
  return planNext(db, 'web_push_cursors', realmId, insertDeliveries)
}

async function insertDeliveries(db: Database, messages: NewMessages): Promise<void> {
  const { realmId } = messages
  const readers = sql`
    select s.channel_id, s.user_id,
           coalesce(s.push_notifications, (u.settings ->> 'enable_stream_push_notifications')::boolean, false) as wants_all
      from (select distinct user_id from web_push_subscriptions where realm_id = ${realmId}) w
      join users u on u.realm_id = ${realmId} and u.id = w.user_id
      join subscriptions s on s.realm_id = ${realmId} and s.user_id = w.user_id and s.is_active
     where s.channel_id in (select channel_id from n)`
  await sql`${candidatesOf(messages, readers)}
    insert into web_push_deliveries (subscription_id, realm_id, message_id)
    select w.id, w.realm_id, c.id from candidates c
      join web_push_subscriptions w on w.realm_id = ${realmId} and w.user_id = c.user_id
    on conflict do nothing`.execute(db)
}
