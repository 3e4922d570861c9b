import type { Context } from '../context.ts'
import type { Job } from '../platform/jobs/tasks.ts'
import { onHost } from '../realms/hosts.ts'
import type { Realm } from '../realms/state.ts'
import { confirmationToken } from '../sign-in/email-changes.ts'
import { confirmationEmail, deactivationEmail, type EmailText, emailChangedNotice } from './templates.ts'

interface Mail {
  address: string
  content: EmailText
}

/** Writes and sends an email. The job is retried if the mail server does not accept it. */
export async function sendMail(ctx: Context, job: Job<'send_mail'>): Promise<void> {
  if (!ctx.mailer) {
    ctx.log.warn('An email was not sent because SMTP_URL is not set.')
    return
  }
  const user = await ctx.db
    .selectFrom('users')
    .select(['email', 'full_name'])
    .where('realm_id', '=', job.realm_id)
    .where('id', '=', job.user_id)
    .executeTakeFirst()
  const mail = user && (await writeMail(ctx, job, user.email))
  if (mail) await ctx.mailer.send({ name: user.full_name, address: mail.address }, mail.content)
}

/** Undefined if the email is obsolete. */
async function writeMail(ctx: Context, job: Job<'send_mail'>, email: string): Promise<Mail | undefined> {
  const { realm } = await ctx.realms.get(job.realm_id)
  const organization = { name: realm.name, url: urlOf(ctx, realm) }
  switch (job.template) {
    case 'deactivation':
      return { address: email, content: deactivationEmail(organization, email, job.comment) }
    case 'email_changed':
      return { address: job.old_email, content: emailChangedNotice(organization, job.old_email, email) }
    case 'email_confirmation': {
      const address = await requestedEmail(ctx, job)
      const token = confirmationToken(ctx.vault, job.realm_id, job.change_id)
      const link = `${job.base_url}/accounts/confirm_new_email/${token}`
      return address === undefined
        ? undefined
        : { address, content: confirmationEmail(organization, email, address, link) }
    }
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
    .where('realm_id', '=', realm_id)
    .where('id', '=', change_id)
    .executeTakeFirst()
  return change?.new_email
}

function urlOf({ config }: Context, { host }: Realm): string | undefined {
  return host === null ? config.publicUrl : onHost(config.publicUrl ?? 'https://localhost', host)
}
