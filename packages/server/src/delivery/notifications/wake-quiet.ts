import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'

/** The settings that decide when someone is not to be disturbed. */
export const quietSettings = ['quiet_hours', 'notifications_paused_until', 'notification_vips'] as const

/** What waits for the end of quiet hours is decided again at once, because they were changed. */
export async function wakeQuiet(tx: Tx, { id }: Pick<Caller, 'id'>): Promise<void> {
  await sql`
    with emails as (
      update email_notifications set due_at = now()
       where realm_id = ${tx.realmId} and user_id = ${id} and waits_for = 'quiet'
    )
    update web_push_deliveries d set due_at = now() from web_push_subscriptions w
     where w.realm_id = ${tx.realmId} and w.user_id = ${id} and d.subscription_id = w.id and d.waits_for = 'quiet'`.execute(
    tx.db,
  )
}
