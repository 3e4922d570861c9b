import { sql } from 'kysely'
import type { Database, Db } from '../../platform/db/pool.ts'
import { column, many, maybeOne } from '../../platform/db/query.ts'
import { recording, type TrailEntry } from '../notifications/trail.ts'

/** A notification that a process has taken, with the browser it goes to. */
export interface Delivery {
  subscription_id: number
  realm_id: number
  user_id: number
  message_id: number
  /** `remove`: it is shown, and is to be closed. */
  verb: 'show' | 'remove'
  attempts: number
  /** Why it was not sent before. */
  waits_for: string | null
  endpoint: string
  public_key: Buffer
  auth_secret: Buffer
}

/** After this time, the process that took a delivery is presumed dead. */
const takeOverSeconds = 60

/** Takes the oldest due delivery to a browser. */
export async function takeDelivery(
  db: Database,
  realmId: number,
  subscriptionId: number,
): Promise<Delivery | undefined> {
  return maybeOne<Delivery>(db)`
    update web_push_deliveries d
       set attempts = attempts + 1, due_at = now() + make_interval(secs => ${takeOverSeconds})
      from web_push_subscriptions w
     where w.realm_id = d.realm_id and w.id = d.subscription_id and (d.realm_id, d.subscription_id, d.message_id) = (
       select realm_id, subscription_id, message_id from web_push_deliveries
        where realm_id = ${realmId} and subscription_id = ${subscriptionId} and due_at <= now()
        order by message_id limit 1 for update skip locked)
    returning d.subscription_id, d.realm_id, d.message_id, d.verb, d.attempts, d.waits_for, w.user_id, w.endpoint, w.public_key, w.auth_secret`
}

type Result = Pick<TrailEntry, 'outcome' | 'reason' | 'detail'>

function entryOf({ user_id, message_id, subscription_id }: Delivery, result: Result): TrailEntry {
  return { user_id, message_id, target_id: subscription_id, ...result }
}

/** Ends a delivery. What became of it is recorded in the same statement. */
export async function finish(db: Database, delivery: Delivery, result: Result): Promise<void> {
  const { realm_id, subscription_id, message_id } = delivery
  await sql`
    with done as (delete from web_push_deliveries
                    where realm_id = ${realm_id} and subscription_id = ${subscription_id} and message_id = ${message_id})
    ${recording(realm_id, 'push', [entryOf(delivery, result)])}`.execute(db)
}

/**
 * Records that a notification is being sent. Before it is sent: what is read from now on is found by the search for what
 * ends notifications.
 */
export async function recordSending(db: Database, delivery: Delivery, reason: string | null): Promise<void> {
  const entry = entryOf(delivery, { outcome: 'sent', reason, detail: null })
  await sql`${recording(delivery.realm_id, 'push', [entry])}`.execute(db)
}

/** The push service accepted it. */
export async function finishSent(db: Database, delivery: Delivery, removed: number[]): Promise<void> {
  const { realm_id, subscription_id, message_id } = delivery
  const done = delivery.verb === 'remove' || message_id === 0 ? removed : [message_id, ...removed]
  const gone = [...new Set([message_id, ...done])]
  const entries = removed.map((id) =>
    entryOf({ ...delivery, message_id: id }, { outcome: 'removed', reason: null, detail: null }),
  )
  await sql`
    with done as (
      delete from web_push_deliveries
       where realm_id = ${realm_id} and subscription_id = ${subscription_id} and message_id = any(${gone}::bigint[])
    ), reached as (
      update web_push_subscriptions set succeeded_at = now(), failed_at = null, failure = null
       where realm_id = ${realm_id} and id = ${subscription_id}
    )
    ${recording(realm_id, 'push', entries)}`.execute(db)
}

/** What follows a refusal: another attempt, nothing, or the end of the browser. */
export type Refused = 'again' | 'final' | 'gone'

/** It was not accepted, so it is not shown. If the push service no longer knows the browser, its deliveries end too. */
export async function recordFailure(db: Database, delivery: Delivery, detail: string, refused: Refused): Promise<void> {
  const { realm_id, user_id, subscription_id, message_id, endpoint, verb } = delivery
  const isRecorded = refused !== 'again' && verb === 'show'
  await sql`
    with failed as (
      update web_push_subscriptions set failed_at = now(), failure = ${detail}
       where realm_id = ${realm_id} and id = ${subscription_id} and ${refused !== 'gone'}
    ), gone as (
      delete from web_push_subscriptions
       where realm_id = ${realm_id} and id = ${subscription_id} and endpoint = ${endpoint} and ${refused === 'gone'}
    ), unsent as (
      delete from notification_trail
       where realm_id = ${realm_id} and user_id = ${user_id} and message_id = ${message_id} and way = 'push'
         and target_id = ${subscription_id} and outcome = 'sent' and ${verb === 'show'}
    ), done as (
      delete from web_push_deliveries
       where realm_id = ${realm_id} and subscription_id = ${subscription_id} and message_id = ${message_id} and ${refused !== 'again'}
    )
    ${recording(realm_id, 'push', isRecorded ? [entryOf(delivery, { outcome: 'failed', reason: null, detail })] : [])}`.execute(
    db,
  )
}

const maxRemoved = 100

/** What a browser is to close: it goes along with the next push. */
export function readRemovals(db: Db, realmId: number, subscriptionId: number): Promise<number[]> {
  return column<number>(db)`
    select message_id from web_push_deliveries
     where realm_id = ${realmId} and subscription_id = ${subscriptionId} and verb = 'remove' order by message_id limit ${maxRemoved}`
}

/** Seconds between attempts. */
const pauses = [5, 30, 120, 600, 3600]
export const maxAttempts = pauses.length + 1

/** How long a notification is of use: a push service keeps it for so long for a browser that is not connected. */
export const keptSeconds = 86_400

interface Retry {
  /** Aborted by shutdown: another process retries immediately. */
  isUncounted: boolean
  retryAfterSeconds: number | undefined
}

/** Schedules a retry. If the push service asks to wait, everything else for this browser waits too. */
export async function retryLater(db: Database, delivery: Delivery, retry: Retry): Promise<void> {
  const { isUncounted, retryAfterSeconds = 0 } = retry
  const { realm_id, subscription_id, message_id, attempts } = delivery
  const asked = Math.min(retryAfterSeconds, keptSeconds)
  const pause = isUncounted ? 0 : Math.max(pauses[attempts - 1]!, asked)
  await sql`
    update web_push_deliveries
       set due_at = now() + make_interval(secs => ${pause}), attempts = attempts - ${isUncounted ? 1 : 0}::integer,
           waits_for = 'retry'
     where realm_id = ${realm_id} and subscription_id = ${subscription_id} and message_id = ${message_id} and attempts = ${attempts}`.execute(
    db,
  )
  await sql`
    update web_push_deliveries set due_at = greatest(due_at, now() + make_interval(secs => ${asked}))
     where realm_id = ${realm_id} and subscription_id = ${subscription_id} and message_id <> ${message_id}`.execute(db)
}

/**
 * The user is active: all notifications for this browser wait, and are decided again then. What they read in the meantime
 * is not sent.
 */
export async function waitUntilAway(db: Database, delivery: Delivery, seconds: number): Promise<void> {
  const { realm_id, subscription_id, message_id, attempts } = delivery
  await sql`
    update web_push_deliveries
       set due_at = greatest(due_at, now() + make_interval(secs => ${seconds})), waits_for = 'active',
           attempts = attempts - case when message_id = ${message_id} and attempts = ${attempts} then 1 else 0 end
     where realm_id = ${realm_id} and subscription_id = ${subscription_id} and verb = 'show'`.execute(db)
}

/** It is decided again when the quiet hours end. */
export async function waitForQuietEnd(db: Database, delivery: Delivery, until: number): Promise<void> {
  await postpone(db, delivery, 'quiet', until)
}

/** The attempt does not count. */
export async function postpone(db: Database, delivery: Delivery, waitsFor: string, until: number): Promise<void> {
  const { realm_id, subscription_id, message_id, attempts } = delivery
  await sql`
    update web_push_deliveries
       set due_at = to_timestamp(${until}), attempts = attempts - 1, waits_for = ${waitsFor}
     where realm_id = ${realm_id} and subscription_id = ${subscription_id} and message_id = ${message_id} and attempts = ${attempts}`.execute(
    db,
  )
}

/** Browsers with due deliveries, including those of processes that died. */
export async function overdueSubscriptions(db: Db): Promise<{ realm_id: number; target_id: number }[]> {
  return many<{ realm_id: number; target_id: number }>(db)`
    select distinct realm_id, subscription_id as target_id from web_push_deliveries where due_at <= now()`
}
