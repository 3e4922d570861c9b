import type { DeliveryObject } from '@parley/api/delivery/webhooks'
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
  message_id: number
  trigger: 'mention' | 'direct_message'
  attempts: number
}

export const maxAttempts = 4

/** After this time, the process that took a delivery is presumed dead. */
const takeOverSeconds = 60

/** Takes the oldest due delivery of a bot. */
export async function takeDelivery(db: Database, realmId: number, botId: number): Promise<Delivery | undefined> {
  return maybeOne<Delivery>(db)`
    update webhook_deliveries
       set status = 'sending', attempts = attempts + 1, due_at = now() + make_interval(secs => ${takeOverSeconds})
     where id = (select id from webhook_deliveries
                  where realm_id = ${realmId} and bot_id = ${botId} and status in ('waiting', 'sending') and due_at <= now()
                  order by id limit 1 for update skip locked)
    returning id, realm_id, bot_id, message_id, trigger, attempts`
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
  const { status, duration_ms = null, response_status = null, error = null } = result
  const { numUpdatedRows } = await tx.db
    .updateTable('webhook_deliveries')
    .set({ status, finished_at: sql`now()`, duration_ms, response_status, error })
    .where(isStillOurs(delivery))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
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
  const due_at = sql<Date>`now() + make_interval(secs => ${pause})`
  const attempts = delivery.attempts - (isUncounted ? 1 : 0)
  const { duration_ms = null, error = null } = result
  const row = await tx.db
    .updateTable('webhook_deliveries')
    .set({ status: 'waiting', due_at, attempts, duration_ms, error })
    .where(isStillOurs(delivery))
    .returning('due_at')
    .executeTakeFirst()
  if (row) await tx.enqueue('deliver_webhooks', { bot_id: delivery.bot_id }, { runAt: row.due_at })
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

export async function deleteOldDeliveries(db: Database): Promise<void> {
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

/** The latest delivery to an outgoing webhook. */
export async function latestDelivery(db: Db, realmId: number, botId: number): Promise<Delivery | undefined> {
  return maybeOne<Delivery>(db)`
    select d.id, d.realm_id, d.bot_id, d.message_id, d.trigger, d.attempts
      from webhook_deliveries d join messages m on m.realm_id = d.realm_id and m.id = d.message_id
     where d.realm_id = ${realmId} and d.bot_id = ${botId}
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
