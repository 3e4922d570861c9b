import { storageLimits } from '@parley/api/limits'
import { sql } from 'kysely'
import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { one } from '../../platform/db/query.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/** The limit per user of each table. */
const limits = {
  drafts: { limit: storageLimits.drafts, items: 'drafts' },
  saved_snippets: { limit: storageLimits.savedSnippets, items: 'saved snippets' },
  scheduled_messages: { limit: storageLimits.scheduledMessages, items: 'scheduled messages' },
  reminders: { limit: storageLimits.reminders, items: 'reminders' },
  alert_words: { limit: storageLimits.alertWords, items: 'alert words' },
  user_topics: { limit: storageLimits.topicPolicies, items: 'muted, unmuted and followed topics' },
  push_tokens: { limit: storageLimits.pushTokens, items: 'devices for push notifications' },
  web_push_subscriptions: { limit: storageLimits.pushTokens, items: 'browsers for push notifications' },
} as const

/** Throws if a user now stores too much. Call it after the insert: the lock lets the second of two inserts see both. */
export async function checkStorageLimit(tx: Tx, userId: number, table: keyof typeof limits): Promise<void> {
  const { limit, items } = limits[table]
  await lockRow(tx, 'users', userId)
  const { total } = await one<{ total: number }>(tx.db)`
    select count(*) as total from ${sql.table(table)} where realm_id = ${tx.realmId} and user_id = ${userId}`
  if (total > limit) throw new ApiError(`You can store at most ${limit} ${items}. Delete some that you no longer need.`)
}
