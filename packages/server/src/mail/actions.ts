import type { Tx } from '../events/transact.ts'

/** A mail that is to be sent: what it is about, not what it says. */
export type MailRequest = { user_id: number } & (
  | { template: 'deactivation'; comment: string }
  | { template: 'email_confirmation'; change_id: number; base_url: string }
  | { template: 'email_changed'; old_email: string }
)

declare module '../platform/jobs/tasks.ts' {
  interface Tasks {
    send_mail: MailRequest
  }
}

/** Asks for a mail to somebody who was deactivated, in the transaction that deactivates them. */
export function requestDeactivationMail(tx: Tx, user_id: number, comment: string): Promise<void> {
  return tx.enqueue('send_mail', { user_id, template: 'deactivation', comment })
}

/** Asks for a mail with a link to an address that somebody wants. */
export function requestEmailConfirmation(tx: Tx, user_id: number, change_id: number, base_url: string): Promise<void> {
  return tx.enqueue('send_mail', { user_id, template: 'email_confirmation', change_id, base_url })
}

/** Asks for a mail that tells the old address of somebody that they have a new one. */
export function requestEmailNotice(tx: Tx, user_id: number, old_email: string): Promise<void> {
  return tx.enqueue('send_mail', { user_id, template: 'email_changed', old_email })
}
