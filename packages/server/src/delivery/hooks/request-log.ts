import type { hookOutcomes } from '@parley/api/delivery/hooks'
import { sql } from 'kysely'
import type { Database, Db } from '../../platform/db/pool.ts'
import { exists, one } from '../../platform/db/query.ts'
import type { HookRow } from './queries.ts'

/** What arrived at a hook. Names of headers are in lower case. */
export interface Arrived {
  headers: Record<string, string | undefined>
  body: Buffer
  /** The sender's own id of the request. */
  deliveryId?: string | undefined
}

/** What was made of it. */
export interface Result {
  outcome: (typeof hookOutcomes)[number]
  event?: string | undefined
  message_id?: number | undefined
  error?: string | undefined
}

const keptBytes = 256 * 1024
const keptRequests = 1000
/** Of the bodies of one hook, together. */
const keptBytesOfHook = 20 * 1024 * 1024
const keptDays = 7
/** Counting is cheaper than looking for the oldest each time. */
const trimEvery = 100

/** Adds a request to the log of the hook. */
export async function recordRequest(db: Database, hook: HookRow, arrived: Arrived, result: Result): Promise<void> {
  const { outcome, event = null, message_id = null, error = null } = result
  const { received } = await one<{ received: number }>(db)`
    with counted as (
      update hooks set last_at = now(), received = received + 1
       where realm_id = ${hook.realm_id} and id = ${hook.id} returning received
    ), logged as (
      insert into hook_requests (realm_id, hook_id, event, headers, body, body_size, delivery_id, outcome, message_id, error)
      select ${hook.realm_id}, ${hook.id}, ${event && clipped(event)}, ${JSON.stringify(shownHeaders(arrived.headers))}::jsonb,
             ${arrived.body.subarray(0, keptBytes)}, ${arrived.body.length}, ${deliveryIdOf(arrived)}, ${outcome},
             ${message_id}::bigint, ${error && clipped(error)} from counted
    )
    select coalesce((select received from counted), 0) as received`
  if (received % trimEvery === 0) await trim(db, hook)
}

function deliveryIdOf({ deliveryId }: Arrived): string | null {
  return deliveryId === undefined ? null : clipped(deliveryId)
}

function clipped(text: string): string {
  return text.slice(0, 1000).toWellFormed().replaceAll('\0', '')
}

const secret = /auth|cookie|token|secret|key|password|signature/
const mostHeaders = 50

/** Headers without what gives access to anything. */
function shownHeaders(headers: Arrived['headers']): Record<string, string> {
  const sent = Object.entries(headers).slice(0, mostHeaders)
  return Object.fromEntries(sent.map(([name, text = '']) => [name, secret.test(name) ? '•••' : clipped(text)]))
}

async function trim(db: Database, { realm_id, id }: HookRow): Promise<void> {
  await sql`
    delete from hook_requests where realm_id = ${realm_id} and hook_id = ${id} and id <= (
      select max(id) from (
        select id, row_number() over newest as place, sum(octet_length(body)) over newest as bytes
          from hook_requests where realm_id = ${realm_id} and hook_id = ${id}
        window newest as (order by id desc)) kept
       where place > ${keptRequests} or bytes > ${keptBytesOfHook})`.execute(db)
}

export async function deleteOldHookRequests(db: Database): Promise<void> {
  await sql`delete from hook_requests where received_at < now() - make_interval(days => ${keptDays})`.execute(db)
}

/** Whether a message was already made of this request: senders repeat those whose answer got lost. */
export function isRepeated(db: Db, { realm_id, id }: HookRow, deliveryId: string): Promise<boolean> {
  return exists(db)`
    select 1 from hook_requests
     where realm_id = ${realm_id} and hook_id = ${id} and delivery_id = ${clipped(deliveryId)} and outcome in ('sent', 'updated', 'counted', 'collapsed')
       and received_at > now() - interval '24 hours'`
}
