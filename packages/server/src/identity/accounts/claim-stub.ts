import { enqueueDelivery } from '../../conversations/later/scheduled/actions.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { emailKey } from '../../platform/emails.ts'

/** The imported account with this email, if nobody has claimed it. Deactivated ones cannot be claimed. */
export async function findStub(db: Db, realmId: number, email: string): Promise<number | undefined> {
  const stub = matches({ realm_id: realmId, email_key: emailKey(email), is_imported_stub: true, is_active: true })
  return (await db.selectFrom('users').select('id').where(stub).executeTakeFirst())?.id
}

/**
 * Notes that an imported account belongs to a person from now on, who has confirmed its email. Does nothing for other
 * accounts. Messages that the person had scheduled wait for this.
 */
export async function claimStub(tx: Tx, userId: number): Promise<boolean> {
  const stub = matches({ realm_id: tx.realmId, id: userId, is_imported_stub: true })
  const { numUpdatedRows } = await tx.db
    .updateTable('users')
    .set({ is_imported_stub: false })
    .where(stub)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  const planned = matches({ realm_id: tx.realmId, user_id: userId, failed: false })
  const scheduled = await tx.db
    .selectFrom('scheduled_messages')
    .select(['id', 'delivery_time'])
    .where(planned)
    .execute()
  for (const message of scheduled) await enqueueDelivery(tx, message)
  await tx.audit(userId, 'imported_account_claimed', { user_id: userId })
  return true
}
