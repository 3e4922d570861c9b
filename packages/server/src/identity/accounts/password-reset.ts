import { roles } from '@parley/api/common'
import { sql } from 'kysely'
import { languageOf } from '../../callers/caller.ts'
import type { Realm } from '../../callers/realm-state.ts'
import { type Context, transactIn } from '../../context.ts'
import { directoryPasswordEmail, passwordResetEmail } from '../../delivery/mail/account-templates.ts'
import type { Tx } from '../../events/transact.ts'
import { checkOwner, type ManagedAccount } from '../../people/users/account-access.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/pool.ts'
import { maybeOne, one } from '../../platform/db/query.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import { hashKey, newToken } from '../../platform/secrets.ts'
import { countResetRequest } from '../passwords/attempt-limit.ts'
import { claimStub } from './claim-stub.ts'
import { setPassword } from './revoke-keys.ts'

declare module '../../platform/jobs/tasks.ts' {
  interface Tasks {
    send_password_reset: { email: string; base_url: string }
  }
}

/** Links to one account that can be valid at the same time. More requests by the user send nothing. */
const maxLinks = 3

export class DeadResetLink extends ApiError {
  constructor() {
    super('This link has expired or was already used. Request a new one.', 'NOT_FOUND')
  }
}

/**
 * Enqueues the email with the link. Whether there is such an account is only looked up in the job, so that neither the
 * answer nor its time reveals it.
 */
export async function requestPasswordReset(
  ctx: Context,
  realm: Realm,
  { email, network, base_url }: { email: string; network: string; base_url: string },
): Promise<void> {
  await countResetRequest(ctx.db, network)
  await transactIn(ctx, realm.id, (tx) => tx.enqueue('send_password_reset', { email: email.trim(), base_url }))
}

interface Account {
  id: number
  email: string
  full_name: string
}

/** Creates the link and sends it, if there is such an account. */
export async function sendPasswordReset(ctx: Context, job: Job<'send_password_reset'>): Promise<void> {
  const { realm } = await ctx.realms.get(job.realm_id)
  const account = await findAccount(ctx.db, job.realm_id, job.email)
  if (!account || !ctx.mailer || realm.deactivated) return
  const token = await transactIn(ctx, realm.id, (tx) => createWithinLimit(tx, account))
  if (token === undefined) return
  const organization = { name: realm.name, url: job.base_url, language: languageOf(account.settings) }
  const directory = await directoryOf(ctx, ctx.db, realm, account)
  const content =
    directory === undefined
      ? passwordResetEmail(organization, account.email, resetUrl(job.base_url, token))
      : directoryPasswordEmail(organization, account.email, directory)
  await ctx.mailer.send({ name: account.full_name, address: account.email }, content)
}

/** The directory that has the password. Owners can use the one that is stored here too. */
async function directoryOf(
  { directories }: Pick<Context, 'directories'>,
  db: Db,
  realm: Realm,
  { email, role }: { email: string; role: number },
): Promise<string | undefined> {
  return role === roles.owner ? undefined : directories?.nameFor(db, realm, email)
}

/** Bots have no password, and their email no mailbox. */
function findAccount(
  db: Db,
  realmId: number,
  email: string,
): Promise<(Account & { role: number; settings: unknown }) | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'full_name', 'role', 'settings'])
    .where(matches({ realm_id: realmId, email_key: emailKey(email), is_active: true, bot_type: null }))
    .executeTakeFirst()
}

export function resetUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/reset/${token}`
}

async function createWithinLimit(tx: Tx, account: Account): Promise<string | undefined> {
  const { count } = await one<{ count: number }>(tx.db)`
    select count(*)::integer as count from password_resets
     where realm_id = ${tx.realmId} and user_id = ${account.id} and expires_at > now()`
  return count < maxLinks ? createPasswordReset(tx, account, null) : undefined
}

/** Creates a link and returns its token. `actorId` is null if the user or the command line asked for it. */
export async function createPasswordReset(
  tx: Tx,
  { id, email }: Omit<Account, 'full_name'>,
  actorId: number | null,
): Promise<string> {
  const token = newToken()
  const account = { realm_id: tx.realmId, user_id: id, email_key: emailKey(email) }
  const expires_at = sql<Date>`now() + interval '30 minutes'`
  await tx.db
    .insertInto('password_resets')
    .values({ ...account, token_hash: hashKey(token), expires_at })
    .execute()
  await tx.audit(actorId, 'password_reset_requested', { user_id: id })
  return token
}

/** For administrators. Without email, they pass the link on themselves. */
export async function offerPasswordReset(
  tx: Tx,
  ctx: Pick<Context, 'mailer' | 'directories'>,
  { actor, target }: ManagedAccount,
  base_url: string,
): Promise<{ reset_url: string | null }> {
  if (target.id === actor.id)
    throw new ApiError('Change your own password in your settings, or request a link at /reset.')
  if (target.role === roles.owner) checkOwner(actor)
  if (target.bot_type !== null) throw new ApiError('Bots have no password.')
  if (!target.is_active) throw new ApiError('The account is deactivated.')
  const directory = await directoryOf(ctx, tx.db, actor.realm, target)
  if (directory !== undefined) throw new ApiError(`The password of this account can only be changed at ${directory}.`)
  if (!ctx.mailer) return { reset_url: resetUrl(base_url, await createPasswordReset(tx, target, actor.id)) }
  await tx.audit(actor.id, 'password_reset_sent', { user_id: target.id })
  await tx.enqueue('send_password_reset', { email: target.email, base_url })
  return { reset_url: null }
}

/** The account behind a link. */
export async function accessPasswordReset(db: Db, realmId: number, token: string): Promise<Account> {
  const account = await maybeOne<Account>(db)`
    select u.id, u.email, u.full_name from password_resets r join users u on u.realm_id = r.realm_id and u.id = r.user_id
     where r.realm_id = ${realmId} and r.token_hash = ${hashKey(token)} and r.expires_at > now()
       and u.is_active and u.email_key = r.email_key`
  if (!account) throw new DeadResetLink()
  return account
}

/** Sets the password and ends everything that gave access to the account. Of two concurrent requests one succeeds. */
export function usePasswordReset(ctx: Context, realm: Realm, token: string, passwordHash: string): Promise<void> {
  return transactIn(ctx, realm.id, async (tx) => {
    const { id } = await accessPasswordReset(tx.db, realm.id, token)
    const used = matches({ realm_id: realm.id, token_hash: hashKey(token) })
    const { numDeletedRows } = await tx.db.deleteFrom('password_resets').where(used).executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) throw new DeadResetLink()
    await claimStub(tx, id)
    await setPassword(tx, { vault: ctx.vault, realm, actorId: id }, id, passwordHash)
  })
}

export async function deleteOldPasswordResets(db: Database): Promise<void> {
  await sql`delete from password_resets where expires_at < now()`.execute(db)
}
