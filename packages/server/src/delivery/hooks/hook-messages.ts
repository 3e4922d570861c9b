import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database } from '../../platform/db/pool.ts'
import { exists, maybeOne, one } from '../../platform/db/query.ts'
import type { HookRow } from './queries.ts'

export type KeyKind = 'update' | 'count' | 'storm'

/** A message that later requests of the same key edit. */
export interface HookMessage {
  key_hash: Buffer
  kind: KeyKind
  message_id: number | null
  content: string
  count: number
  shown: number
  is_open: boolean
  first_at: Date
  edited_at: Date
  /** Whether the last request with this key is so long ago that the next one begins a new message. */
  is_old: boolean
}

/** The same matter elsewhere is another message. */
export function hashOfKey(kind: KeyKind, place: unknown, key: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([kind, place, key]))
    .digest()
}

/** How long a message counts up, or stands for a storm, after its last request. */
const countMinutes = 60
const keptDays = 30
const updateMinutes = keptDays * 24 * 60

const columns = sql`key_hash, kind, message_id, content, count, shown, is_open, first_at, edited_at`

/** The message with this key, locked until the transaction ends; a new row if there is none. */
export function lockKey(
  tx: Tx,
  hook: HookRow,
  { kind, key_hash }: Pick<HookMessage, 'kind' | 'key_hash'>,
): Promise<HookMessage> {
  return one<HookMessage>(tx.db)`
    with before as (
      select last_at from hook_messages
       where realm_id = ${tx.realmId} and hook_id = ${hook.id} and key_hash = ${key_hash}
    )
    insert into hook_messages (realm_id, hook_id, key_hash, kind, content, count, shown, is_open)
    values (${tx.realmId}, ${hook.id}, ${key_hash}, ${kind}, '', 0, 0, true)
    on conflict (realm_id, hook_id, key_hash) do update set last_at = now()
    returning ${columns}, coalesce((select last_at from before) < now() - make_interval(
      mins => case kind when 'update' then ${updateMinutes} else ${countMinutes} end::integer), false) as is_old`
}

/** The message with this key, locked; undefined if it was deleted. */
export function lockKnownKey(tx: Tx, hookId: number, keyHash: Buffer): Promise<HookMessage | undefined> {
  return maybeOne<HookMessage>(tx.db)`
    select ${columns}, false as is_old from hook_messages
     where realm_id = ${tx.realmId} and hook_id = ${hookId} and key_hash = ${keyHash} for update`
}

export async function storeKey(tx: Tx, hookId: number, keyHash: Buffer, values: Partial<HookMessage>): Promise<void> {
  const where = matches({ realm_id: tx.realmId, hook_id: hookId, key_hash: keyHash })
  await tx.db.updateTable('hook_messages').set(values).where(where).execute()
}

export async function forgetKey(tx: Tx, hookId: number, keyHash: Buffer): Promise<void> {
  const where = matches({ realm_id: tx.realmId, hook_id: hookId, key_hash: keyHash })
  await tx.db.deleteFrom('hook_messages').where(where).execute()
}

/** For hooks that change their place: the next request begins a new message. */
export async function forgetKeys(tx: Tx, hookIds: number[]): Promise<void> {
  await tx.db
    .deleteFrom('hook_messages')
    .where(matches({ realm_id: tx.realmId, hook_id: hookIds }))
    .execute()
}

export async function deleteOldKeys(db: Database): Promise<void> {
  await sql`delete from hook_messages where last_at < now() - make_interval(days => ${keptDays})`.execute(db)
}

/** Whether the topic of the message has another message of the hook about something that is not over. */
export function hasOpenMatters(tx: Tx, { id }: HookRow, messageId: number): Promise<boolean> {
  return exists(tx.db)`
    select 1 from hook_messages k
      join messages m on m.realm_id = k.realm_id and m.id = k.message_id
      join messages own on own.realm_id = k.realm_id and own.id = ${messageId} and own.topic_id = m.topic_id
     where k.realm_id = ${tx.realmId} and k.hook_id = ${id} and k.kind = 'update' and k.is_open`
}

/** Of new messages of one hook in one minute. */
const mostPerMinute = 30

/** Counts a message that the hook wants to send. Returns whether it is one too many, until a quiet minute has passed. */
export async function isInStorm(db: Database, { realm_id, id }: HookRow): Promise<boolean> {
  const row = await maybeOne<{ collapses: boolean }>(db)`
    update hooks
       set is_storm = case when minute_at > now() - interval '1 minute' then is_storm
                           else minute_at > now() - interval '2 minutes' and minute_count > ${mostPerMinute} end,
           minute_count = case when minute_at > now() - interval '1 minute' then minute_count + 1 else 1 end,
           minute_at = case when minute_at > now() - interval '1 minute' then minute_at else now() end
     where realm_id = ${realm_id} and id = ${id}
    returning is_storm or minute_count > ${mostPerMinute} as collapses`
  return row?.collapses ?? false
}
