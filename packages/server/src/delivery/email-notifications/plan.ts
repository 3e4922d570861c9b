import { sql } from 'kysely'
import { emailDueAt } from '../../people/users/settings/email-period.ts'
import { isSystemBot } from '../../people/users/system-bots.ts'
import type { Fragment } from '../../platform/db/fragment.ts'
import type { Database } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { candidatesOf, type NewMessages, planNext } from '../notifications/plan-notifications.ts'

/** What there is to do: usually nothing, so one query finds that out. */
interface Backlog {
  /** Realms with messages whose recipients have not been looked up yet. */
  realm_ids: number[]
  has_new_realm: boolean
  has_due: boolean
}

export function readBacklog(db: Database): Promise<Backlog> {
  return one<Backlog>(db)`
    select array(select c.realm_id from email_cursors c join realm_counters r on r.realm_id = c.realm_id
                  where r.last_message > c.last_message) as realm_ids,
           exists (select 1 from realm_counters r
                    where not exists (select 1 from email_cursors c where c.realm_id = r.realm_id)) as has_new_realm,
           exists (select 1 from email_notifications where due_at <= now()) as has_due`
}

/** Emails start with the messages after the server first had a mail server, or with the first message of a new realm. */
export async function addCursors(db: Database): Promise<void> {
  await sql`
    insert into email_cursors (realm_id, last_message)
    select r.id, case when r.date_created > now() - interval '1 hour' then 0 else k.last_message end
      from realms r join realm_counters k on k.realm_id = r.id
    on conflict do nothing`.execute(db)
}

/** Plans emails about the realm's next messages to the users they may concern. Returns whether there may be more. */
export function planEmails(db: Database, realmId: number): Promise<boolean> {
  return planNext(db, 'email_cursors', realmId, async (tx, messages) => {
    await insertNotifications(tx, realmId, candidatesOf(messages, readersOf(messages)))
  })
}

/** Only those who want emails about all messages, and all subscribers where a message mentions everyone. */
function readersOf({ realmId }: NewMessages): Fragment {
  return sql`
    select s.channel_id, s.user_id, true as wants_all from subscriptions s
     where s.realm_id = ${realmId} and s.is_active and s.email_notifications
       and s.channel_id in (select channel_id from n)
    union all
    select s.channel_id, s.user_id, true from users u
      join subscriptions s on s.realm_id = u.realm_id and s.user_id = u.id and s.is_active
     where u.realm_id = ${realmId} and u.settings @> '{"enable_stream_email_notifications": true}'
       and s.email_notifications is null and s.channel_id in (select channel_id from n)
    union all
    select s.channel_id, s.user_id, false from subscriptions s
     where s.realm_id = ${realmId} and s.is_active
       and s.channel_id in (select channel_id from n where mentions_channel)`
}

/** Plans emails to the subscribers of the channel after an edit that mentions all of them. */
export async function planChannelEmails(db: Database, realmId: number, messageId: number): Promise<void> {
  const found = sql`
    with candidates as (
      select m.id, s.user_id from messages m
        join subscriptions s on s.realm_id = m.realm_id and s.channel_id = m.channel_id and s.is_active
       where m.realm_id = ${realmId} and m.id = ${messageId} and m.mentions_channel and s.user_id <> m.sender_id
    )`
  await insertNotifications(db, realmId, found)
}

/**
 * `found` has the users as `candidates` (id, user_id). Each of them waits as long as they chose. New users have just seen
 * what the Welcome Bot says.
 */
async function insertNotifications(db: Database, realmId: number, found: Fragment): Promise<void> {
  await sql`${found}
    insert into email_notifications (realm_id, user_id, message_id, due_at, expires_at)
    select u.realm_id, u.id, c.id, w.due_at, w.due_at + interval '1 day' from candidates c
      join users u on u.realm_id = ${realmId} and u.id = c.user_id
     cross join lateral (select ${emailDueAt} as due_at) w
     where u.is_active and u.bot_type is null
       and not exists (select 1 from messages m join users u on u.realm_id = m.realm_id and u.id = m.sender_id
                        where m.realm_id = ${realmId} and m.id = c.id and ${isSystemBot('welcome')})
     order by u.id, c.id
    on conflict do nothing`.execute(db)
}
