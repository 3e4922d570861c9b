import { roles } from '@parley/api/common'
import { loadState } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../events/transact.ts'
import { createUser } from '../../people/users/actions.ts'
import { checkFullName, longestEmail } from '../../people/users/profile/account-fields.ts'
import { accessNewEmail } from '../../people/users/profile/email-rules.ts'
import { accessName } from '../../people/users/profile/name-rules.ts'
import { matches } from '../../platform/db/matches.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { isPrintable, lengthOf } from '../../platform/text.ts'
import { claimStub } from '../accounts/claim-stub.ts'
import { welcomeAccount } from '../accounts/welcome.ts'
import type { Claimed } from './oidc/oidc.ts'

/** The rules of one way to sign in from outside. */
export interface Linking {
  /** Stays the same for ever: stored with each linked account. */
  id: string
  name: string
  create_users?: boolean
  link_by_email?: boolean
}

/**
 * The account of a person that a provider has identified. An email counts only if the provider has confirmed it, and only the
 * first time: afterwards the provider's own id decides, so that a recycled email opens no account.
 */
export async function accessIdentity(tx: Tx, ctx: Context, provider: Linking, claimed: Claimed): Promise<number> {
  checkClaimed(provider, claimed)
  const named = { realm_id: tx.realmId, provider: provider.id, subject: claimed.subject }
  const known = tx.db.selectFrom('external_identities').select('user_id').where(matches(named))
  const identity = await known.executeTakeFirst()
  if (identity) return identity.user_id
  const email = confirmedEmail(provider, claimed)
  const userId = await accessByEmail(tx, ctx, provider, email, claimed.name)
  const linked = await tx.db
    .insertInto('external_identities')
    .values({ ...named, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (!linked) throw new ApiError(`This account is linked with another person at ${provider.name}.`)
  await tx.audit(userId, 'identity_linked', { user_id: userId, provider: provider.id })
  return userId
}

/** OpenID Connect allows 255 characters and SAML 256; attributes of other providers may be a little longer. */
const longestSubject = 500

/** Throws for what cannot be stored. */
function checkClaimed({ name }: Linking, { subject, email = '' }: Claimed): void {
  const isUsable = subject !== '' && subject.length <= longestSubject && isPrintable(subject)
  if (!isUsable) throw new ApiError(`${name} sent an id that is empty, too long or not printable.`)
  if (email.length > longestEmail || !isPrintable(email)) throw new ApiError(`${name} sent an invalid email.`)
}

/** The account with an email for which the provider vouches, or a new one. */
export async function accessByEmail(
  tx: Tx,
  ctx: Context,
  provider: Linking,
  email: string,
  name: string | undefined,
): Promise<number> {
  return (await linkExisting(tx, provider, email)) ?? (await create(tx, ctx, provider, email, name))
}

function confirmedEmail({ name }: Linking, { email, isVerified }: Claimed): string {
  if (email === undefined) throw new ApiError(`${name} did not send your email. Ask your administrator to include it.`)
  if (!isVerified) throw new ApiError(`${name} has not confirmed your email. Confirm it there, then try again.`)
  return email
}

async function linkExisting(
  tx: Tx,
  { name, link_by_email = true }: Linking,
  email: string,
): Promise<number | undefined> {
  const account = await tx.db
    .selectFrom('users')
    .select(['id', 'is_active', 'bot_type'])
    .where(matches({ realm_id: tx.realmId, email_key: emailKey(email.trim()) }))
    .executeTakeFirst()
  if (!account) return undefined
  if (!account.is_active) throw new ApiError('Account is deactivated', 'USER_DEACTIVATED')
  if (await claimStub(tx, account.id)) return account.id
  if (!link_by_email || account.bot_type !== null)
    throw new ApiError(`An account with this email exists, but it is not linked with ${name}. Sign in another way.`)
  return account.id
}

async function create(tx: Tx, ctx: Context, provider: Linking, claimedEmail: string, name?: string): Promise<number> {
  const { realm } = await loadState(tx.db, tx.realmId)
  if (!provider.create_users)
    throw new ApiError(`You have no account at ${realm.name}. Ask a member of the organization for an invitation.`)
  const email = await accessNewEmail(tx.db, realm, claimedEmail)
  const full_name = await accessName(tx, realm, null, usableName(name, email))
  const user = await createUser(tx, ctx.vault, realm, { email, full_name, role: roles.member })
  await welcomeAccount(tx, ctx, realm, user)
  await tx.audit(user.id, 'user_joined', { user_id: user.id, provider: provider.id })
  return user.id
}

/** Providers allow more in names than we do. */
export function usableName(claimed: string | undefined, email: string): string {
  const own = cleanName(claimed ?? '')
  return checkFullName(lengthOf(own) > 1 ? own : cleanName(`User ${email.split('@')[0]}`))
}

function cleanName(text: string): string {
  const allowed = [...text.replace(/[*`\\>"@|]/g, ' ')].filter(isPrintable).join('')
  return [...allowed.replace(/\s+/g, ' ').trim()].slice(0, 100).join('').trim()
}
