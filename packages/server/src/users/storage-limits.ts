import { storageLimits } from '@parley/api/limits'
import { sql } from 'kysely'
import type { Tx } from '../events/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'

/** What users store for themselves, by table. */
const stored = {
  drafts: { limit: storageLimits.drafts, things: 'drafts' },
  saved_snippets: { limit: storageLimits.savedSnippets, things: 'saved snippets' },
  scheduled_messages: { limit: storageLimits.scheduledMessages, things: 'scheduled messages' },
  alert_words: { limit: storageLimits.alertWords, things: 'alert words' },
  push_tokens: { limit: storageLimits.pushTokens, things: 'devices for push notifications' },
} as const

/** Throws if a user now stores too much. Call it after the insert: the lock lets the second of two inserts see both. */
export async function checkStorageLimit(tx: Tx, userId: number, table: keyof typeof stored): Promise<void> {
  const { limit, things } = stored[table]
  await sql`select 1 from users where realm_id = ${tx.realmId} and id = ${userId} for no key update`.execute(tx.db)
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from ${sql.table(table)}
     where realm_id = ${tx.realmId} and user_id = ${userId}`.execute(tx.db)
  if (rows[0]!.total > limit)
    throw new ApiError(`You can store at most ${limit} ${things}. Delete some that you no longer need.`)
}
