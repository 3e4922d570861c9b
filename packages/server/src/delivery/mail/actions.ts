import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { columnOf } from '../../platform/db/query.ts'

/** The job's payload. The text is written when the job runs. */
export type MailRequest = UserMailRequest | InvitationMailRequest

/** An email to a user. */
export type UserMailRequest = { user_id: number } & (
  | { template: 'deactivation'; comment: string }
  | { template: 'email_confirmation'; change_id: number; base_url: string }
  | { template: 'email_changed'; old_email: string }
  | { template: 'account_exists'; base_url: string }
  | { template: 'notification_test' }
  | { template: 'email_refused'; subject: string; reason: string }
  | Notice
  | DeactivationNotice
)

/** An email to a person without an account. */
export interface InvitationMailRequest {
  template: 'invitation'
  invitation_id: number
  base_url: string
}

/** A notice about the safety of the account, sent to its email. */
export type Notice =
  | { template: 'password_changed' }
  | { template: 'new_sign_in'; device: string; ip_address: string; at: string }
  | { template: 'failed_sign_ins'; ip_address: string }
  | { template: 'second_factor_changed'; change: FactorChange }

export type FactorChange =
  | 'totp_added'
  | 'totp_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_code_used'
  | 'recovery_codes_replaced'
  | 'reset_by_administrator'

/** To the owners of a deactivated organization, with a link to reactivate it. */
export interface DeactivationNotice {
  template: 'realm_deactivated'
  deactivated_at: string
  base_url: string
}

declare module '../../platform/jobs/tasks.ts' {
  interface Tasks {
    send_mail: MailRequest
  }
}

/** Enqueues the email to a deactivated user, in the transaction that deactivates them. */
export function requestDeactivationMail(tx: Tx, user_id: number, comment: string): Promise<void> {
  return tx.enqueue('send_mail', { user_id, template: 'deactivation', comment })
}

/** Enqueues the email with the confirmation link, sent to the new email address. */
export function requestEmailConfirmation(tx: Tx, user_id: number, change_id: number, base_url: string): Promise<void> {
  return tx.enqueue('send_mail', { user_id, template: 'email_confirmation', change_id, base_url })
}

/** Enqueues the notice to the old email address that it has been replaced. */
export function requestEmailNotice(tx: Tx, user_id: number, old_email: string): Promise<void> {
  return tx.enqueue('send_mail', { user_id, template: 'email_changed', old_email })
}

/** Enqueues the email with the link to join. */
export function requestInvitationMail(tx: Tx, invitation_id: number, base_url: string): Promise<void> {
  return tx.enqueue('send_mail', { template: 'invitation', invitation_id, base_url })
}

/** Enqueues the email to a user whose own email was not posted. */
export function requestRefusalMail(tx: Tx, user_id: number, subject: string, reason: string): Promise<void> {
  return tx.enqueue('send_mail', { user_id, template: 'email_refused', subject, reason })
}

/** Enqueues the email with which a user tests whether emails arrive. Several requests at once are one email. */
export function requestTestMail(tx: Tx, user_id: number): Promise<void> {
  const plan = { key: `test-mail-${tx.realmId}-${user_id}` }
  return tx.enqueue('send_mail', { user_id, template: 'notification_test' }, plan)
}

/** Enqueues the email to a user who tried to sign up again. */
export function requestAccountExistsMail(tx: Tx, user_id: number, base_url: string): Promise<void> {
  return tx.enqueue('send_mail', { user_id, template: 'account_exists', base_url })
}

/** Enqueues an email to every user with this role. */
export async function requestOwnerMails(tx: Tx, role: number, notice: DeactivationNotice): Promise<void> {
  const holders = matches({ realm_id: tx.realmId, role, is_active: true, bot_type: null })
  const ids = await columnOf(tx.db.selectFrom('users').select('id').where(holders))
  for (const user_id of ids) await tx.enqueue('send_mail', { user_id, ...notice })
}
