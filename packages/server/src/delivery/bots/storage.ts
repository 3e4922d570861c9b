import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** Maximum number of characters per bot, including keys. */
const maxStoredCharacters = 10_000_000

export function checkIsBot({ bot_type }: Caller): void {
  if (bot_type === null) throw new ApiError('Only bots have a storage.', 'PERMISSION_DENIED')
}

/** The values of these keys, or all values. */
export async function readStorage(db: Db, bot: Caller, keys?: string[]): Promise<Record<string, string>> {
  const found = db.selectFrom('bot_storage').select(['key', 'value']).where(isStored(bot, keys))
  const rows = await found.orderBy('key').execute()
  if (keys && rows.length < new Set(keys).size) throw new ApiError('Key does not exist.')
  // fromEntries is safe even for a key named __proto__.
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

export async function store(tx: Tx, bot: Caller, storage: Record<string, string>): Promise<void> {
  // Lock the bot, so that concurrent writes cannot exceed the limit together.
  await lockRow(tx, 'users', bot.id)
  await sql`
    insert into bot_storage (realm_id, bot_id, key, value)
    select ${tx.realmId}, ${bot.id}, key, value
      from unnest(${Object.keys(storage)}::text[], ${Object.values(storage)}::text[]) as s(key, value)
    on conflict (realm_id, bot_id, md5(key)) do update set value = excluded.value`.execute(tx.db)
  const { total } = await one<{ total: number }>(tx.db)`
    select coalesce(sum(length(key) + length(value)), 0)::bigint as total from bot_storage
     where realm_id = ${tx.realmId} and bot_id = ${bot.id}`
  if (total > maxStoredCharacters) throw new ApiError('Request exceeds the storage of the bot.')
}

export async function forget(tx: Tx, bot: Caller, keys?: string[]): Promise<void> {
  const { numDeletedRows } = await tx.db.deleteFrom('bot_storage').where(isStored(bot, keys)).executeTakeFirstOrThrow()
  if (keys && numDeletedRows < new Set(keys).size) throw new ApiError('Key does not exist.')
}

function isStored({ realm_id, id }: Caller, keys: string[] | undefined) {
  return keys ? matches({ realm_id, bot_id: id, key: keys }) : matches({ realm_id, bot_id: id })
}
