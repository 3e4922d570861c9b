import type { Context } from '../context.ts'
import type { Job } from '../platform/jobs/tasks.ts'
import type { Realm } from '../realms/state.ts'
import { confirmationToken } from '../sign-in/email-changes.ts'
import { confirmationEmail, deactivationEmail, type EmailText, emailChangedNotice } from './templates.ts'

interface Mail {
  address: string
  letter: EmailText
}

/** Writes and sends a mail. What the mail server does not take is tried again later. */
export async function sendMail(ctx: Context, wanted: Job<'send_mail'>): Promise<void> {
  if (!ctx.mailer) {
    ctx.log.warn('a mail was not sent: SMTP_URL is not set')
    return
  }
  const user = await ctx.db
    .selectFrom('users')
    .select(['email', 'full_name'])
    .where('realm_id', '=', wanted.realm_id)
    .where('id', '=', wanted.user_id)
    .executeTakeFirst()
  const mail = user && (await write(ctx, wanted, user.email))
  if (mail) await ctx.mailer.send({ name: user.full_name, address: mail.address }, mail.letter)
}

/** Undefined: there is no longer anything to say. */
async function write(ctx: Context, wanted: Job<'send_mail'>, email: string): Promise<Mail | undefined> {
  const { realm } = await ctx.realms.get(wanted.realm_id)
  const place = { name: realm.name, url: urlOf(ctx, realm) }
  switch (wanted.template) {
    case 'deactivation':
      return { address: email, letter: deactivationEmail(place, email, wanted.comment) }
    case 'email_changed':
      return { address: wanted.old_email, letter: emailChangedNotice(place, wanted.old_email, email) }
    case 'email_confirmation': {
      const address = await addressWanted(ctx, wanted)
      const token = confirmationToken(ctx.vault, wanted.realm_id, wanted.change_id)
      const link = `${wanted.base_url}/accounts/confirm_new_email/${token}`
      return address === undefined ? undefined : { address, letter: confirmationEmail(place, email, address, link) }
    }
  }
}

/** The address, unless its owner has asked for another one since. */
async function addressWanted(
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
  return host === null ? config.publicUrl : `https://${host}`
}
