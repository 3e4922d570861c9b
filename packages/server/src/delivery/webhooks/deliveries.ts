import type { Trigger } from '@parley/api/delivery/webhook-triggers'
import type { DeliveryObject, WebhookPayload } from '@parley/api/delivery/webhooks'
import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { many, maybeOne } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** A delivery that a process has taken. */
export interface Delivery {
  id: number
  realm_id: number
  bot_id: number
  message_id: number | null
  channel_id: number | null
  /** The number of its event, if the log caused it; null if sending the message did. */
  event_seq: number | null
  event: string | null
  trigger: Trigger
  attempts: number
}

export interface MessageDelivery extends Delivery {
  message_id: number
}

const maxAttempts = 4

/** After this time, the process that took a delivery is presumed dead. */
const takeOverSeconds = 60

/** Takes the oldest due delivery of a bot. Those of events wait while the bot is paused, or for their predecessor. */
export async function takeDelivery(db: Database, realmId: number, botId: number): Promise<Delivery | undefined> {
  return maybeOne<Delivery>(db)`
    update webhook_deliveries
       set status = 'sending', attempts = attempts + 1, due_at = now() + make_interval(secs => ${takeOverSeconds})
     where id = (select d.id from webhook_deliveries d
                   left join bot_services s on s.realm_id = d.realm_id and s.bot_id = d.bot_id
                  where d.realm_id = ${realmId} and d.bot_id = ${botId} and d.status in ('waiting', 'sending')
                    and d.due_at <= now() and (d.event_seq is null or ${isItsTurn})
                  order by d.id limit 1 for update of d skip locked)
    returning id, realm_id, bot_id, message_id, channel_id, event_seq, event, trigger, attempts`
}

const isItsTurn = sql`
  s.paused_at is null and (not s.in_order or not exists (
    select from webhook_deliveries earlier
     where earlier.realm_id = d.realm_id and earlier.bot_id = d.bot_id and earlier.status in ('waiting', 'sending')
       and earlier.event_seq is not null and earlier.id < d.id))`

/** The result of an attempt. */
export interface Result {
  status: 'delivered' | 'failed' | 'cancelled'
  duration_ms?: number
  response_status?: number
  error?: string
}

/** Stores the result of a delivery. Returns false if another process took it over. */
export async function finish(tx: Tx, delivery: Delivery, result: Result): Promise<boolean> {
  const { status, duration_ms = null, response_status = null, error = null } = result
  const { numUpdatedRows } = await tx.db
    .updateTable('webhook_deliveries')
    .set({ status, finished_at: sql`now()`, duration_ms, response_status, error })
    .where(isStillOurs(delivery))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Seconds between attempts. Those of events take a day together. */
const pauses = [2, 10, 30]
const eventPauses = [10, 60, 300, 1800, 7200, 21_600, 54_000]

/** Seconds that an endpoint may ask for. */
const longestRetryAfter = 3600

function pauseAfter({ event_seq, attempts }: Delivery): number {
  return (event_seq === null ? pauses : eventPauses)[attempts - 1]!
}

export function attemptsOf({ event_seq }: Delivery): number {
  return event_seq === null ? maxAttempts : eventPauses.length + 1
}

/**
 * Schedules a retry. Many events may wait for the same endpoint: one job wakes it for all, and `resume_webhooks` for those that
 * are due before. Attempts aborted by shutdown are not counted; another process retries immediately.
 */
export async function tryLater(
  tx: Tx,
  delivery: Delivery,
  result: Omit<Result, 'status'>,
  isUncounted: boolean,
  leastSeconds = 0,
): Promise<void> {
  const pause = isUncounted ? 0 : Math.max(pauseAfter(delivery), Math.min(leastSeconds, longestRetryAfter))
  const due_at = sql<Date>`now() + make_interval(secs => ${pause})`
  const attempts = delivery.attempts - (isUncounted ? 1 : 0)
  const { duration_ms = null, response_status = null, error = null } = result
  const row = await tx.db
    .updateTable('webhook_deliveries')
    .set({ status: 'waiting', due_at, attempts, duration_ms, response_status, error })
    .where(isStillOurs(delivery))
    .returning('due_at')
    .executeTakeFirst()
  const key = delivery.event_seq === null ? {} : { key: `retry_webhook:${tx.realmId}:${delivery.bot_id}` }
  if (row) await tx.enqueue('deliver_webhooks', { bot_id: delivery.bot_id }, { runAt: row.due_at, ...key })
}

function isStillOurs({ id, realm_id, attempts }: Delivery) {
  return matches({ id, realm_id, status: 'sending', attempts })
}

/** Bots with due deliveries, including those of processes that died. */
export async function overdueBots(db: Db): Promise<{ realm_id: number; target_id: number }[]> {
  return many<{ realm_id: number; target_id: number }>(db)`
    select distinct realm_id, bot_id as target_id from webhook_deliveries
     where status in ('waiting', 'sending') and due_at <= now()`
}

const keptDays = 30
/** There may be a delivery for each message of the organization. */
const keptDaysOfEvents = 7

export async function deleteOldDeliveries(db: Database): Promise<void> {
  await sql`delete from webhook_deliveries
             where status not in ('waiting', 'sending') and created_at < now() - make_interval(days => case when event_seq is null then ${keptDays}::integer
                                                                     else ${keptDaysOfEvents}::integer end)`.execute(db)
}

export async function readDeliveries(
  db: Db,
  realmId: number,
  botId: number,
  { before, limit }: { before?: number; limit: number },
): Promise<DeliveryObject[]> {
  return many<DeliveryObject>(db)`
    select id, message_id, trigger, status, attempts, floor(extract(epoch from created_at))::bigint as created_at,
           floor(extract(epoch from finished_at))::bigint as finished_at, duration_ms, response_status, error
      from webhook_deliveries
     where realm_id = ${realmId} and bot_id = ${botId} and id < ${before ?? Number.MAX_SAFE_INTEGER}
     order by id desc limit ${limit}`
}

/** Repeats a finished delivery. */
export async function replay(tx: Tx, botId: number, id: number): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('webhook_deliveries')
    .set({ status: 'waiting', attempts: 0, due_at: sql`now()`, finished_at: null, error: null })
    .where(matches({ realm_id: tx.realmId, bot_id: botId, id }))
    .where('status', 'not in', ['waiting', 'sending'])
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new ApiError('There is no such finished delivery.')
  await tx.enqueue('deliver_webhooks', { bot_id: botId })
}

export interface LatestDelivery {
  message_id: number
  trigger: WebhookPayload['trigger']
}

/** The latest delivery of a message to an outgoing webhook. */
export async function latestDelivery(db: Db, realmId: number, botId: number): Promise<LatestDelivery | undefined> {
  return maybeOne<LatestDelivery>(db)`
    select d.message_id, d.trigger from webhook_deliveries d join messages m on m.realm_id = d.realm_id and m.id = d.message_id
     where d.realm_id = ${realmId} and d.bot_id = ${botId} and d.event is null
     order by d.id desc limit 1`
}

/** Where messages to an outgoing-webhook bot are delivered, with the sealed secrets. */
export function findService(db: Db, realmId: number, botId: number) {
  return db
    .selectFrom('bot_services')
    .selectAll()
    .where(matches({ realm_id: realmId, bot_id: botId }))
    .executeTakeFirst()
}
