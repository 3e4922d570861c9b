import { sql } from 'kysely'
import { matches } from '../platform/db/matches.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { foldCase } from '../platform/text.ts'
import type { Realm } from '../realms/state.ts'
import { hasSecondFactor } from '../second-factors/queries.ts'
import { checkPassword } from './passwords.ts'

/** The columns of an account that signing in needs. */
export interface Account {
  id: number
  realm_id: number
  email: string
  is_active: boolean
  is_bot: boolean
  password_hash: string | null
  api_key_sealed: Buffer
  has_second_factor: boolean
}

export class AuthenticationFailed extends ApiError {
  constructor() {
    super('Your username or password is incorrect', 'AUTHENTICATION_FAILED')
  }
}

/** The account with this email and password. A wrong password does not reveal whether the account exists. */
export async function accessWithPassword(
  db: Db,
  realm: Realm,
  email: string,
  password: string,
  network: string,
): Promise<Account> {
  const account = await findAccount(db, realm.id, email)
  const isCorrect = await checkPassword(account?.password_hash ?? null, password, network)
  if (!account || !isCorrect) throw new AuthenticationFailed()
  checkActive(account)
  return account
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

function checkActive({ is_active }: Account): void {
  if (!is_active) throw new ApiError('Account is deactivated', 'USER_DEACTIVATED')
}

export function findAccount(db: Db, realmId: number, email: string): Promise<Account | undefined> {
  const named = { realm_id: realmId, email_key: foldCase(email.trim()), is_system_bot: false }
  return accounts(db).where(matches(named)).executeTakeFirst()
}

/** The account that began to sign in, or was found in another way. */
export async function accessAccount(db: Db, realm_id: number, id: number): Promise<Account> {
  const account = await accounts(db).where(matches({ realm_id, id })).executeTakeFirstOrThrow()
  checkActive(account)
  return account
}

function accounts(db: Db) {
  return db
    .selectFrom('users')
    .select(['id', 'realm_id', 'email', 'is_active', 'password_hash', 'api_key_sealed'])
    .select(sql<boolean>`bot_type is not null`.as('is_bot'))
    .select(hasSecondFactor.as('has_second_factor'))
}

async function existsInOtherRealm(db: Db, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where(matches({ email_key: foldCase(email.trim()), is_system_bot: false }))
    .executeTakeFirst()
  return found !== undefined
}
