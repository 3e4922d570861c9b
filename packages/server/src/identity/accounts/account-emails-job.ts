import { languageOf } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import {
  emailRefusedEmail,
  noticeEmail,
  notificationTestEmail,
  realmDeactivatedEmail,
} from '../../delivery/mail/account-templates.ts'
import type { InvitationMailRequest, UserMailRequest } from '../../delivery/mail/actions.ts'
import { accountExistsEmail, invitationEmail, signUpEmail } from '../../delivery/mail/invitation-templates.ts'
import {
  confirmationEmail,
  deactivationEmail,
  type EmailText,
  emailChangedNotice,
  type Organization,
} from '../../delivery/mail/templates.ts'
import { reactivationToken } from '../../organization/realms/deactivate-realm.ts'
import { publicUrlOf } from '../../organization/realms/hosts.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import { joinUrl, readInvitationEmail } from '../invitations/queries.ts'
import { confirmationToken } from './email-changes.ts'

interface Mail {
  name: string
  address: string
  content: EmailText
}

/** Writes and sends an email. The job is retried if the mail server does not accept it. */
export async function sendMail(ctx: Context, job: Job<'send_mail'>): Promise<void> {
  if (!ctx.mailer) {
    ctx.log.warn('An email was not sent because SMTP_URL is not set.')
    return
  }
  const { realm } = await ctx.realms.get(job.realm_id)
  // Of people without an account, only what their organization usually speaks is known.
  const language = realm.settings.default_language
  const organization = { name: realm.name, url: publicUrlOf(ctx.config.publicUrl, realm), language }
  const mail =
    job.template === 'invitation'
      ? await writeInvitation(ctx, job, organization)
      : await writeToUser(ctx, job, organization)
  if (mail) await ctx.mailer.send({ name: mail.name, address: mail.address }, mail.content)
}

/** Undefined if the invitation was accepted or revoked. */
async function writeInvitation(
  { db, vault }: Context,
  job: InvitationMailRequest & { realm_id: number },
  organization: Organization,
): Promise<Mail | undefined> {
  const invitation = await readInvitationEmail(db, vault, job.realm_id, job.invitation_id)
  if (!invitation) return undefined
  const link = joinUrl(job.base_url, invitation.token)
  const write = invitation.inviter === null ? signUpEmail : invitationEmail
  return { name: '', address: invitation.email, content: write(organization, { ...invitation, link }) }
}

/** Undefined if the email is obsolete. */
async function writeToUser(
  ctx: Context,
  job: UserMailRequest & { realm_id: number },
  from: Organization,
): Promise<Mail | undefined> {
  const user = await ctx.db
    .selectFrom('users')
    .select(['email', 'full_name', 'settings'])
    .where(matches({ realm_id: job.realm_id, id: job.user_id }))
    .executeTakeFirst()
  if (!user) return undefined
  const { email, full_name: name } = user
  const organization = { ...from, language: languageOf(user.settings) }
  switch (job.template) {
    case 'deactivation':
      return { name, address: email, content: deactivationEmail(organization, email, job.comment) }
    case 'email_refused':
      return { name, address: email, content: emailRefusedEmail(organization, job.subject, job.reason) }
    case 'notification_test':
      return { name, address: email, content: notificationTestEmail(organization) }
    case 'account_exists':
      return { name, address: email, content: accountExistsEmail(organization, job.base_url) }
    case 'email_changed':
      return { name, address: job.old_email, content: emailChangedNotice(organization, job.old_email, email) }
    case 'email_confirmation': {
      const address = await requestedEmail(ctx, job)
      const token = confirmationToken(ctx.vault, job.realm_id, job.change_id)
      const link = `${job.base_url}/accounts/confirm_new_email/${token}`
      return address === undefined
        ? undefined
        : { name, address, content: confirmationEmail(organization, email, address, link) }
    }
    case 'realm_deactivated': {
      const link = `${job.base_url}/reactivate/${reactivationToken(ctx.vault, job.realm_id, job.deactivated_at)}`
      return { name, address: email, content: realmDeactivatedEmail(organization, link) }
    }
    default:
      return { name, address: email, content: noticeEmail(organization, email, job) }
  }
}

/** The new email address, or undefined if the user has requested another one since. */
async function requestedEmail(
  { db }: Context,
  { realm_id, change_id }: { realm_id: number; change_id: number },
): Promise<string | undefined> {
  const change = await db
    .selectFrom('email_changes')
    .select('new_email')
    .where(matches({ realm_id, id: change_id }))
    .executeTakeFirst()
  return change?.new_email
}
