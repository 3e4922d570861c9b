import type { DeliveryObject } from '@parley/api/webhooks'
import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'

/** A delivery that a process has taken. */
export interface Delivery {
  id: number
  realm_id: number
  bot_id: number
  message_id: number
  trigger: 'mention' | 'direct_message'
  attempts: number
}

export const mostAttempts = 4

/** After this time, the process that took a delivery is presumed dead. */
const takeOverSeconds = 60

/** Takes the oldest due delivery of a bot. */
export async function takeDelivery(db: Db, realmId: number, botId: number): Promise<Delivery | undefined> {
  const { rows } = await sql<Delivery>`
    update webhook_deliveries
       set status = 'sending', attempts = attempts + 1, due_at = now() + make_interval(secs => ${takeOverSeconds})
     where id = (select id from webhook_deliveries
                  where realm_id = ${realmId} and bot_id = ${botId} and status in ('waiting', 'sending') and due_at <= now()
                  order by id limit 1 for update skip locked)
    returning id, realm_id, bot_id, message_id, trigger, attempts`.execute(db)
  return rows[0]
}

/** The result of an attempt. */
export interface Result {
  status: 'delivered' | 'failed' | 'cancelled'
  duration_ms?: number
  response_status?: number
  error?: string
}

/** Stores the result of a delivery. Returns false if another process took it over. */
export async function finish(tx: Tx, delivery: Delivery, result: Result): Promise<boolean> {
  const { rows } = await sql`
    update webhook_deliveries
       set status = ${result.status}, finished_at = now(), duration_ms = ${result.duration_ms ?? null}::integer,
           response_status = ${result.response_status ?? null}::integer, error = ${result.error ?? null}::text
     where ${isStillOurs(delivery)} returning 1`.execute(tx.db)
  return rows.length > 0
}

/** Seconds between attempts. */
const pauses = [2, 10, 30]

/** Schedules a retry. Attempts aborted by shutdown are not counted; another process retries immediately. */
export async function tryLater(
  tx: Tx,
  delivery: Delivery,
  result: Omit<Result, 'status'>,
  isUncounted: boolean,
): Promise<void> {
  const pause = isUncounted ? 0 : pauses[delivery.attempts - 1]!
  const { rows } = await sql<{ due_at: Date }>`
    update webhook_deliveries
       set status = 'waiting', due_at = now() + make_interval(secs => ${pause}),
           attempts = attempts - ${isUncounted ? 1 : 0}::integer,
           duration_ms = ${result.duration_ms ?? null}::integer, error = ${result.error ?? null}::text
     where ${isStillOurs(delivery)} returning due_at`.execute(tx.db)
  if (rows[0]) await tx.enqueue('deliver_webhooks', { bot_id: delivery.bot_id }, { runAt: rows[0].due_at })
}

function isStillOurs({ id, realm_id, attempts }: Delivery) {
  return sql`id = ${id} and realm_id = ${realm_id} and status = 'sending' and attempts = ${attempts}`
}

/** Bots with due deliveries, including those of processes that died. */
export async function overdueBots(db: Db): Promise<{ realm_id: number; bot_id: number }[]> {
  const { rows } = await sql<{ realm_id: number; bot_id: number }>`
    select distinct realm_id, bot_id from webhook_deliveries
     where status in ('waiting', 'sending') and due_at <= now()`.execute(db)
  return rows
}

const keptDays = 30

export async function deleteOldDeliveries(db: Db): Promise<void> {
  await sql`delete from webhook_deliveries
             where status not in ('waiting', 'sending') and created_at < now() - make_interval(days => ${keptDays})`.execute(
    db,
  )
}

export async function readDeliveries(
  db: Db,
  realmId: number,
  botId: number,
  { before, limit }: { before?: number; limit: number },
): Promise<DeliveryObject[]> {
  const { rows } = await sql<DeliveryObject>`
    select id, message_id, trigger, status, attempts, floor(extract(epoch from created_at))::bigint as created_at,
           floor(extract(epoch from finished_at))::bigint as finished_at, duration_ms, response_status, error
      from webhook_deliveries
     where realm_id = ${realmId} and bot_id = ${botId} and id < ${before ?? Number.MAX_SAFE_INTEGER}
     order by id desc limit ${limit}`.execute(db)
  return rows
}

/** Repeats a finished delivery. */
export async function replay(tx: Tx, botId: number, id: number): Promise<void> {
  const { rows } = await sql`
    update webhook_deliveries set status = 'waiting', attempts = 0, due_at = now(), finished_at = null, error = null
     where realm_id = ${tx.realmId} and bot_id = ${botId} and id = ${id} and status not in ('waiting', 'sending')
    returning 1`.execute(tx.db)
  if (rows.length === 0) throw new ApiError('There is no such finished delivery.')
  await tx.enqueue('deliver_webhooks', { bot_id: botId })
}

/** The latest delivery to an outgoing webhook. */
export async function latestDelivery(db: Db, realmId: number, botId: number): Promise<Delivery | undefined> {
  const { rows } = await sql<Delivery>`
    select d.id, d.realm_id, d.bot_id, d.message_id, d.trigger, d.attempts
      from webhook_deliveries d join messages m on m.realm_id = d.realm_id and m.id = d.message_id
     where d.realm_id = ${realmId} and d.bot_id = ${botId}
     order by d.id desc limit 1`.execute(db)
  return rows[0]
}
