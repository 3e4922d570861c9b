import { type Role, roles } from '@parley/api/common'
import { reloadCaller } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import { type Context, transactIn } from '../../context.ts'
import { requestInvitationMail } from '../../delivery/mail/actions.ts'
import { inviteByEmail } from '../../identity/invitations/actions.ts'
import { checkAllowed, InvitationFailed, type Refusal } from '../../identity/invitations/invitees.ts'
import { joinUrl } from '../../identity/invitations/queries.ts'
import { checkEmail } from '../../people/users/profile/account-fields.ts'
import { matches } from '../../platform/db/matches.ts'
import { emailKey } from '../../platform/emails.ts'
import { StartupError } from '../../platform/postgres/startup-error.ts'
import { linkUrlOf } from '../link-url.ts'
import { findRealm, withContext } from '../open-context.ts'
import { checkEmailsDiffer, readCsv } from './read-csv.ts'
import { type RoleName, readRole } from './role-names.ts'

interface InviteOptions {
  fromCsv?: string
  role: RoleName
  by?: string
  realm?: string
}

interface Invitee {
  email: string
  role: Role
}

const batchSize = 50

/** Checks all emails first. People who have an account are skipped, so the command can be repeated. */
export async function invite(emails: string[], options: InviteOptions): Promise<void> {
  const invitees = await readInvitees(emails, options)
  await withContext(async (ctx) => {
    const { id, name } = await findRealm(ctx.db, options.realm)
    const owner = await findOwner(ctx, id, options.by)
    await checkInvitees(ctx, owner, invitees)
    const skipped: Refusal[] = []
    for (let done = 0; done < invitees.length; done += batchSize) {
      const batch = invitees.slice(done, done + batchSize)
      for (const role of new Set(batch.map((one) => one.role)))
        skipped.push(...(await inviteBatch(ctx, owner, batch, role)))
      console.error(`${Math.min(done + batchSize, invitees.length)} of ${invitees.length} …`)
    }
    console.error(`Invited ${invitees.length - skipped.length} people to ${name}.`)
    for (const [email, reason] of skipped) console.error(`Skipped ${email}: ${reason}`)
  })
}

/** Otherwise one wrong email would keep its whole batch from being invited. */
async function checkInvitees(ctx: Context, { realm }: Caller, invitees: Invitee[]): Promise<void> {
  try {
    const emails = invitees.map(({ email }) => email)
    await checkAllowed(ctx.db, realm, emails)
  } catch (error) {
    if (!(error instanceof InvitationFailed)) throw error
    const lines = error.errors.map(([email, reason]) => `${email}: ${reason}`)
    throw new StartupError([error.message, ...lines].join('\n'))
  }
}

async function inviteBatch(ctx: Context, owner: Caller, batch: Invitee[], role: Role): Promise<Refusal[]> {
  const invitee_emails = batch.flatMap((one) => (one.role === role ? [one.email] : [])).join()
  const baseUrl = linkUrlOf(ctx, owner.realm)
  try {
    const { invitations, skipped } = await transactIn(ctx, owner.realm_id, async (tx) => {
      const params = { ...usual, ...placesOf(role), invitee_emails, invite_as: role }
      const invited = await inviteByEmail(tx, ctx.vault, owner, params, 'none')
      if (ctx.mailer) for (const { id } of invited.invitations) await requestInvitationMail(tx, id, baseUrl)
      return invited
    })
    if (!ctx.mailer) for (const { email, token } of invitations) console.log(`${email},${joinUrl(baseUrl, token)}`)
    return skipped
  } catch (error) {
    if (error instanceof InvitationFailed) return error.errors // all of them have an account
    throw error
  }
}

/** The same as for `POST /invites`, but the owner gets no notices. */
const usual = {
  invite_expires_in_minutes: 14 * 24 * 60,
  stream_ids: [],
  group_ids: [],
  notify_referrer_on_join: false,
}

/** Guests see only the channels that someone adds them to. */
function placesOf(role: Role) {
  return { include_realm_default_subscriptions: role !== roles.guest }
}

async function readInvitees(emails: string[], { fromCsv, role }: InviteOptions): Promise<Invitee[]> {
  if ((fromCsv === undefined) === (emails.length === 0))
    throw new StartupError('Give email addresses, or --from-csv with a file of them.')
  if (fromCsv === undefined) return emails.map((email) => ({ email: checkEmail(email), role: roles[role] }))
  const rows = await readCsv(fromCsv, 'email,role', ['email'])
  const invitees = rows.map((row, index) => ({
    email: checkEmail(row.email!),
    role: readRole(row.role ?? '', index, role),
  }))
  checkEmailsDiffer(invitees, fromCsv)
  return invitees
}

async function findOwner(ctx: Context, realm_id: number, email: string | undefined): Promise<Caller> {
  const conditions = { realm_id, role: roles.owner, is_active: true, bot_type: null }
  const isOwner = email === undefined ? matches(conditions) : matches({ ...conditions, email_key: emailKey(email) })
  const owner = await ctx.db.selectFrom('users').select('id').where(isOwner).orderBy('id').limit(1).executeTakeFirst()
  if (!owner) throw new StartupError(email ? `${email} is not an owner.` : 'The organization has no owner.')
  return reloadCaller(ctx.db, { realm_id, id: owner.id })
}
