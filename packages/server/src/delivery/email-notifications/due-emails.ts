import { offlineSeconds } from '@parley/api/people/presence'
import { sql } from 'kysely'
import type { Database, Db } from '../../platform/db/pool.ts'
import { many } from '../../platform/db/query.ts'
import { recording, type TrailEntry } from '../notifications/trail.ts'

/** The user whose messages are mailed. */
export interface Owner {
  realmId: number
  userId: number
}

/** A message that a process has taken for one email. */
export interface Taken {
  message_id: number
  /** The same for all messages of one email. */
  conversation: string
  attempts: number
  is_expired: boolean
}

/** After this time, the process that took messages is presumed dead. */
const takeOverSeconds = 300
/** A process sends for no longer than this, and then takes the rest again. */
export const workSeconds = 120

/**
 * Takes the messages about which the user is due an email, with those that still wait for their time, so that they share
 * the email. While the user is active, all of them are postponed instead, until the user may have left. Of processes that
 * do this at once, one gets each message.
 */
export async function takeDue(db: Database, { realmId, userId }: Owner): Promise<Taken[]> {
  const rows = await many<Taken & { is_postponed: boolean }>(db)`
    update email_notifications e
       set due_at = coalesce(p.last_active_time + make_interval(secs => ${offlineSeconds}),
                             now() + make_interval(secs => ${takeOverSeconds})),
           attempts = e.attempts + (p.user_id is null)::integer,
           waits_for = case when p.user_id is null then null else 'active' end
      from messages m
      left join presence p on p.realm_id = ${realmId} and p.user_id = ${userId}
                          and p.last_active_time > now() - make_interval(secs => ${offlineSeconds})
     where e.realm_id = ${realmId} and e.user_id = ${userId} and m.realm_id = ${realmId} and m.id = e.message_id
       and (e.due_at <= now() or e.attempts = 0)
       and exists (select 1 from email_notifications d
                    where d.realm_id = ${realmId} and d.user_id = ${userId} and d.due_at <= now())
    returning e.message_id, e.attempts, e.expires_at <= now() as is_expired, p.user_id is not null as is_postponed,
              coalesce('topic-' || m.topic_id, 'direct-' || m.recipient_id) as conversation`
  return rows.filter(({ is_postponed }) => !is_postponed).sort((a, b) => a.message_id - b.message_id)
}

export type Result = Pick<TrailEntry, 'message_id' | 'outcome' | 'reason' | 'detail'>

/** Ends emails. What became of them is recorded in the same statement. */
export async function finish(db: Database, { realmId, userId }: Owner, results: Result[]): Promise<void> {
  const entries = results.map((result) => ({ user_id: userId, ...result }))
  await sql`
    with done as (
      delete from email_notifications
       where realm_id = ${realmId} and user_id = ${userId} and message_id = any(${idsOf(results)}::bigint[])
    )
    ${recording(realmId, 'email', entries)}`.execute(db)
}

/** Seconds between attempts. */
const pauses = [60, 300, 1800, 7200, 21_600]
export const maxAttempts = pauses.length + 1

/** Schedules a retry. The attempts differ if messages joined later; the first message decides. */
export async function retryLater(db: Database, owner: Owner, taken: Taken[]): Promise<void> {
  const pause = pauses[taken[0]!.attempts - 1] ?? pauses.at(-1)!
  await postpone(db, owner, taken, { pause, uncounted: 0 })
}

/** Lets another process send them at once. */
export async function release(db: Database, owner: Owner, taken: Taken[]): Promise<void> {
  await postpone(db, owner, taken, { pause: 0, uncounted: 1 })
}

/** They are decided again when the quiet hours end, and stay as long as others after that. */
export async function waitForQuietEnd(
  db: Database,
  { realmId, userId }: Owner,
  messageIds: number[],
  until: number,
): Promise<void> {
  await sql`
    update email_notifications
       set due_at = to_timestamp(${until}), expires_at = greatest(expires_at, to_timestamp(${until}) + interval '1 day'),
           attempts = attempts - 1, waits_for = 'quiet'
     where realm_id = ${realmId} and user_id = ${userId} and message_id = any(${messageIds}::bigint[])`.execute(db)
}

async function postpone(
  db: Database,
  { realmId, userId }: Owner,
  taken: Taken[],
  { pause, uncounted }: { pause: number; uncounted: number },
): Promise<void> {
  await sql`
    update email_notifications
       set due_at = now() + make_interval(secs => ${pause}), attempts = attempts - ${uncounted}::integer,
           waits_for = 'retry'
     where realm_id = ${realmId} and user_id = ${userId} and message_id = any(${idsOf(taken)}::bigint[])`.execute(db)
}

function idsOf(messages: { message_id: number }[]): number[] {
  return messages.map(({ message_id }) => message_id)
}

/** Users with due emails, including those that a dead process had taken. The others follow in the next round. */
export function overdueUsers(db: Db): Promise<{ realm_id: number; target_id: number }[]> {
  return many<{ realm_id: number; target_id: number }>(db)`
    select distinct realm_id, user_id as target_id from (
      select realm_id, user_id from email_notifications where due_at <= now() order by due_at limit 1000) due`
}

/** Of users who stayed active without reading, and of times without a mail server. */
export async function deleteExpired(db: Database): Promise<void> {
  await sql`delete from email_notifications where expires_at < now()`.execute(db)
}
