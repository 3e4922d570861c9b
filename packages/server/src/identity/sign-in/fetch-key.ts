import type { ParamsOf } from '@parley/api/operation'
import type { fetchApiKey } from '@parley/api/server'
import type { FastifyRequest } from 'fastify'
import { type Context, transactIn } from '../../context.ts'
import { realmOf } from '../../organization/realms/request-realm.ts'
import { checkEmail, longestEmail } from '../../people/users/profile/account-fields.ts'
import { emailKey } from '../../platform/emails.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { networkOf } from '../../platform/http/network.ts'
import { limitGuesses } from '../passwords/attempt-limit.ts'
import { failureReports, recordSignedIn } from '../sessions/sign-in-notices.ts'
import { addToken } from '../tokens/api-tokens.ts'
import {
  type Account,
  AuthenticationFailed,
  accessWithoutPassword,
  accessWithPassword,
  checkRealmActive,
  type ProvedAccount,
} from './accounts.ts'
import { checkSecondFactor } from './check-code.ts'

/**
 * The account that signs in by an API call: with its password and, if it has a second factor, a code. On the demo server
 * also without.
 */
export async function signInAccount(
  ctx: Context,
  request: FastifyRequest,
  { username, password, code }: { username: string; password?: string | undefined; code?: string | undefined },
): Promise<Account> {
  if (password === undefined) return demoAccount(ctx, request, username)
  const { account, method } = await passwordAccount(ctx, request, username, password)
  await checkSecondFactor(ctx, request, account, code)
  await recordSignedIn(ctx, request, account, method)
  return account
}

/**
 * The account with this password: rate-limited, and in the same time whether or not the account exists. A second factor
 * may be another step before a session or key is given out.
 */
export async function passwordAccount(
  ctx: Context,
  request: FastifyRequest,
  username: string,
  password: string,
): Promise<ProvedAccount> {
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  // Nobody has such a name, so that nothing is looked up or counted, and no directory is asked.
  if (username.trim().length > longestEmail) throw new AuthenticationFailed()
  const network = networkOf(request.ip)
  const attempt = {
    realmId: realm.id,
    emailKey: emailKey(username.trim()),
    network,
    ...failureReports(ctx, request, realm.id, username.trim()),
  }
  return limitGuesses(ctx.db, attempt, AuthenticationFailed, () =>
    accessWithPassword(ctx, realm, { email: username, password, network }),
  )
}

/** Gives out the API key, or a token to clients that name their device. */
export async function fetchKey(ctx: Context, request: FastifyRequest, params: ParamsOf<typeof fetchApiKey>) {
  const { device_name } = params
  const account = await signInAccount(ctx, request, params)
  if (device_name === undefined) return keyOf(ctx, account)
  const { id, email, realm_id } = account
  const client = { userAgent: request.headers['user-agent'] ?? '', ip: request.ip }
  const { token } = await transactIn(ctx, realm_id, (tx) => addToken(tx, id, id, { name: device_name }, client))
  return { api_key: token, email, user_id: id }
}

export async function fetchKeyForDemo(ctx: Context, request: FastifyRequest, username: string) {
  return keyOf(ctx, await demoAccount(ctx, request, username))
}

/** Signs in without a password. Only the demo server allows this. */
async function demoAccount(ctx: Context, request: FastifyRequest, username: string): Promise<Account> {
  requireDemo(ctx)
  checkEmail(username)
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  const account = await accessWithoutPassword(ctx.db, realm, username)
  await recordSignedIn(ctx, request, account, 'demo')
  return account
}

export function requireDemo({ config }: Context): void {
  if (config.mode !== 'demo') throw new ApiError('Only the demo server signs in without a password.')
}

export function keyOf({ vault }: Context, { id, email, api_key_sealed }: Account) {
  return { api_key: vault.open(api_key_sealed), email, user_id: id }
}
