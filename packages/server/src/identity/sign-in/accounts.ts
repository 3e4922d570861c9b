import { roles } from '@parley/api/common'
import type { ErrorCode } from '@parley/api/errors'
import { sql } from 'kysely'
import type { Realm } from '../../callers/realm-state.ts'
import type { Context } from '../../context.ts'
import { longestEmail } from '../../people/users/profile/account-fields.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/pool.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { checkPassword } from '../passwords/passwords.ts'
import { hasSecondFactor } from '../second-factors/queries.ts'

/** The columns of an account that signing in needs. */
export interface Account {
  id: number
  realm_id: number
  email: string
  is_active: boolean
  /** If the account is deactivated only for a time. */
  suspended_until: Date | null
  is_bot: boolean
  role: number
  password_hash: string | null
  api_key_sealed: Buffer
  has_second_factor: boolean
}

export class AuthenticationFailed extends ApiError {
  constructor(message = 'Your username or password is incorrect', { code }: { code?: ErrorCode } = {}) {
    super(message, code ?? 'AUTHENTICATION_FAILED')
  }
}

/** What a user typed, and from where. */
export interface Typed {
  email: string
  password: string
  network: string
}

/** An account whose user has entered the right password: the one stored here, or the one in a directory. */
export interface ProvedAccount {
  account: Account
  method: 'password' | 'ldap'
}

/**
 * The account with this email and password. A wrong password does not reveal whether the account exists. An account of a
 * directory has its password there; owners can use the one stored here too, so that they get in without the directory.
 */
export async function accessWithPassword(
  { db, directories }: Pick<Context, 'db' | 'directories'>,
  realm: Realm,
  typed: Typed,
): Promise<ProvedAccount> {
  const { email, password, network } = typed
  const [own, answer] = await Promise.all([
    findWithPassword(db, realm, typed),
    directories?.check(realm, email, password, network),
  ])
  if (answer?.userId !== undefined) return { account: await accessAccount(db, realm.id, answer.userId), method: 'ldap' }
  if (!own || (answer?.isLinked && own.role !== roles.owner)) throw answer?.failure ?? new AuthenticationFailed()
  checkActive(own)
  return { account: own, method: 'password' }
}

async function findWithPassword(db: Db, realm: Realm, { email, password, network }: Typed) {
  const account = await findAccount(db, realm.id, email)
  const isCorrect = await checkPassword(account?.password_hash ?? null, password, network)
  if (!isCorrect) return undefined
  // Checks wait for their turn, and the password may have been changed in that time.
  const current = await findAccount(db, realm.id, email)
  return current?.password_hash === account!.password_hash ? current : undefined
}

/** The account with this email. For the demo server only, which has no secrets. */
export async function accessWithoutPassword(db: Db, realm: Realm, email: string): Promise<Account> {
  const account = await findAccount(db, realm.id, email)
  if (account) {
    checkActive(account)
    return account
  }
  if (await existsInOtherRealm(db, email))
    throw new ApiError('This account is not part of this organization.', 'NONEXISTENT_SUBDOMAIN')
  throw new AuthenticationFailed()
}

export function checkRealmActive(realm: Realm): void {
  if (realm.deactivated) throw new ApiError('This organization has been deactivated', 'REALM_DEACTIVATED')
}

function checkActive({ is_active, suspended_until }: Account): void {
  if (!is_active && suspended_until)
    throw new ApiError(`Your account is suspended until ${minuteOf(suspended_until)} UTC.`, 'USER_DEACTIVATED')
  if (!is_active) throw new ApiError('Account is deactivated', 'USER_DEACTIVATED')
}

function minuteOf(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ')
}

export async function findAccount(db: Db, realmId: number, email: string): Promise<Account | undefined> {
  const trimmed = email.trim()
  if (trimmed.length > longestEmail) return undefined
  const named = { realm_id: realmId, email_key: emailKey(trimmed), is_system_bot: false }
  return accounts(db).where(matches(named)).executeTakeFirst()
}

/** The account that began to sign in, or was found in another way. */
export async function accessAccount(db: Db, realm_id: number, id: number): Promise<Account> {
  const account = await accounts(db).where(matches({ realm_id, id })).executeTakeFirstOrThrow()
  checkActive(account)
  return account
}

const suspendedUntil = sql<Date | null>`
  (select ends_at from suspensions s where s.realm_id = users.realm_id and s.user_id = users.id)`

function accounts(db: Db) {
  return db
    .selectFrom('users')
    .select(['id', 'realm_id', 'email', 'role', 'is_active', 'password_hash', 'api_key_sealed'])
    .select(sql<boolean>`bot_type is not null`.as('is_bot'))
    .select(suspendedUntil.as('suspended_until'))
    .select(hasSecondFactor.as('has_second_factor'))
}

async function existsInOtherRealm(db: Db, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where(matches({ email_key: emailKey(email.trim()), is_system_bot: false }))
    .executeTakeFirst()
  return found !== undefined
}
