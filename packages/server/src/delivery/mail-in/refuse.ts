import { lockRow } from '../../events/lock-row.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { exists } from '../../platform/db/query.ts'
import { requestRefusalMail } from '../mail/actions.ts'
import type { AcceptedEmail } from './accepted-emails.ts'

/** Tells the author of an email that it was not posted; once a day, so that two programs cannot keep answering each other. */
export async function refuse(
  tx: Tx,
  { id }: AcceptedEmail,
  userId: number,
  subject: string,
  reason: string,
): Promise<void> {
  await lockRow(tx, 'users', userId)
  const wasTold = await exists(tx.db)`
    select 1 from incoming_emails
     where realm_id = ${tx.realmId} and user_id = ${userId} and refusal_sent and received_at > now() - interval '1 day'`
  if (wasTold) return
  const mine = matches({ realm_id: tx.realmId, id })
  await tx.db.updateTable('incoming_emails').set({ refusal_sent: true }).where(mine).execute()
  await requestRefusalMail(tx, userId, subject, reason)
}
