import { sql } from 'kysely'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { many, maybeOne } from '../../platform/db/query.ts'

/** A notification that a process has taken, with the browser it goes to. */
export interface Delivery {
  subscription_id: number
  realm_id: number
  user_id: number
  message_id: number
  attempts: number
  endpoint: string
  public_key: Buffer
  auth_secret: Buffer
}

/** After this time, the process that took a delivery is presumed dead. */
const takeOverSeconds = 60

/** Takes the oldest due delivery to a browser. */
export async function takeDelivery(db: Database, subscriptionId: number): Promise<Delivery | undefined> {
  return maybeOne<Delivery>(db)`
    update web_push_deliveries d
       set attempts = attempts + 1, due_at = now() + make_interval(secs => ${takeOverSeconds})
      from web_push_subscriptions w
     where w.id = d.subscription_id and (d.subscription_id, d.message_id) = (
       select subscription_id, message_id from web_push_deliveries
        where subscription_id = ${subscriptionId} and due_at <= now()
        order by message_id limit 1 for update skip locked)
    returning d.subscription_id, d.realm_id, d.message_id, d.attempts, w.user_id, w.endpoint, w.public_key, w.auth_secret`
}

export async function finish(db: Database, { subscription_id, message_id }: Delivery): Promise<void> {
  await db.deleteFrom('web_push_deliveries').where(matches({ subscription_id, message_id })).execute()
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
  const { subscription_id, message_id, attempts } = delivery
  const asked = Math.min(retryAfterSeconds, keptSeconds)
  const pause = isUncounted ? 0 : Math.max(pauses[attempts - 1]!, asked)
  await sql`
    update web_push_deliveries
       set due_at = now() + make_interval(secs => ${pause}), attempts = attempts - ${isUncounted ? 1 : 0}::integer
     where subscription_id = ${subscription_id} and message_id = ${message_id} and attempts = ${attempts}`.execute(db)
  await sql`
    update web_push_deliveries set due_at = greatest(due_at, now() + make_interval(secs => ${asked}))
     where subscription_id = ${subscription_id} and message_id <> ${message_id}`.execute(db)
}

/**
 * The user is active: everything for this browser waits, and is decided again then. What they read in the meantime is
 * not sent.
 */
export async function waitUntilAway(db: Database, delivery: Delivery, seconds: number): Promise<void> {
  const { subscription_id, message_id, attempts } = delivery
  await sql`
    update web_push_deliveries
       set due_at = greatest(due_at, now() + make_interval(secs => ${seconds})),
           attempts = attempts - case when message_id = ${message_id} and attempts = ${attempts} then 1 else 0 end
     where subscription_id = ${subscription_id}`.execute(db)
}

/** The push service no longer knows the browser. Its other deliveries end too. */
export async function removeSubscription(db: Database, { subscription_id, endpoint }: Delivery): Promise<void> {
  await db
    .deleteFrom('web_push_subscriptions')
    .where(matches({ id: subscription_id, endpoint }))
    .execute()
}

/** Browsers with due deliveries, including those of processes that died. */
export async function overdueSubscriptions(db: Db): Promise<{ realm_id: number; target_id: number }[]> {
  return many<{ realm_id: number; target_id: number }>(db)`
    select distinct realm_id, subscription_id as target_id from web_push_deliveries where due_at <= now()`
}
