import type { Tx } from '../platform/db/transact.ts'

/** A mail that is to be sent: what it is about, not what it says. */
export interface MailRequest {
  realm_id: number
  user_id: number
  template: 'deactivation'
  comment: string
}

/** Asks for a mail to somebody who was deactivated, in the transaction that deactivates them. */
export async function requestDeactivationMail(tx: Tx, userId: number, comment: string): Promise<void> {
  const wanted: MailRequest = { realm_id: tx.realmId, user_id: userId, template: 'deactivation', comment }
  await tx.enqueue('send_mail', wanted)
}
