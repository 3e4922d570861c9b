import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { Caller } from '../users/caller.ts'

/** Characters, keys included, that one bot may keep. */
const mostStored = 10_000_000

export function checkIsBot({ bot_type }: Caller): void {
  if (bot_type === null) throw new ApiError('Only bots have a storage.', 'PERMISSION_DENIED')
}

/** What a bot keeps under these keys, or everything. */
export async function readStorage(db: Db, bot: Caller, keys?: string[]): Promise<Record<string, string>> {
  const { rows } = await sql<{ key: string; value: string }>`
    select key, value from bot_storage
     where realm_id = ${bot.realm_id} and bot_id = ${bot.id} and (${keys === undefined} or ${isAmong(keys)})
     order by key`.execute(db)
  if (keys && rows.length < new Set(keys).size) throw new ApiError('Key does not exist.')
  // A key may be called __proto__.
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

export async function store(tx: Tx, bot: Caller, storage: Record<string, string>): Promise<void> {
  // One write at a time, so that two together cannot exceed what one may keep.
  await sql`select 1 from users where id = ${bot.id} for no key update`.execute(tx.db)
  await sql`
    insert into bot_storage (realm_id, bot_id, key, value)
    select ${tx.realmId}, ${bot.id}, key, value
      from unnest(${Object.keys(storage)}::text[], ${Object.values(storage)}::text[]) as s(key, value)
    on conflict (realm_id, bot_id, md5(key)) do update set value = excluded.value`.execute(tx.db)
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(length(key) + length(value)), 0)::bigint as total from bot_storage
     where realm_id = ${tx.realmId} and bot_id = ${bot.id}`.execute(tx.db)
  if (rows[0]!.total > mostStored) throw new ApiError('Request exceeds the storage of the bot.')
}

export async function forget(tx: Tx, bot: Caller, keys?: string[]): Promise<void> {
  const gone = await sql`
    delete from bot_storage
     where realm_id = ${tx.realmId} and bot_id = ${bot.id} and (${keys === undefined} or ${isAmong(keys)})`.execute(
    tx.db,
  )
  if (keys && gone.numAffectedRows! < new Set(keys).size) throw new ApiError('Key does not exist.')
}

function isAmong(keys: string[] = []) {
  return sql`key = any(${keys}::text[])`
}
