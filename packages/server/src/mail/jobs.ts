import type { Context } from '../context.ts'
import type { Realm } from '../realms/state.ts'
import type { MailRequest } from './actions.ts'
import { deactivationLetter } from './templates.ts'

/** Writes and sends a mail. What the mail server does not take is tried again later. */
export async function sendMail(ctx: Context, { realm_id, user_id, comment }: MailRequest): Promise<void> {
  if (!ctx.mailer) {
    ctx.log.warn('a mail was not sent: SMTP_URL is not set')
    return
  }
  const { realm } = await ctx.realms.get(realm_id)
  const user = await ctx.db
    .selectFrom('users')
    .select(['email', 'full_name'])
    .where('realm_id', '=', realm_id)
    .where('id', '=', user_id)
    .executeTakeFirst()
  if (!user) return
  const letter = deactivationLetter({ name: realm.name, url: urlOf(ctx, realm) }, user.email, comment)
  await ctx.mailer.send({ name: user.full_name, address: user.email }, letter)
}

function urlOf({ config }: Context, { host }: Realm): string | undefined {
  return host === null ? config.publicUrl : `https://${host}`
}
