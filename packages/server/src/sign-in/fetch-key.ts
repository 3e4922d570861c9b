import type { ParamsOf } from '@parley/api/operation'
import type { fetchApiKey } from '@parley/api/server'
import type { FastifyRequest } from 'fastify'
import { type Context, transactIn } from '../context.ts'
import type { Tx } from '../events/transact.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { networkOf } from '../platform/http/network.ts'
import { foldCase } from '../platform/text.ts'
import { checkEmail } from '../users/account-fields.ts'
import {
  type Account,
  AuthenticationFailed,
  accessWithoutPassword,
  accessWithPassword,
  checkRealmActive,
} from './accounts.ts'
import { addToken } from './api-tokens.ts'
import { limitGuesses } from './attempt-limit.ts'
import { deviceName } from './device-name.ts'
import { realmOf } from './request-realm.ts'
import { recordSignIn } from './sign-in-notices.ts'

/**
 * The account that signs in, with its password or, on the demo server only, without. A second factor would be another
 * step after this one, before a session or key is given out.
 */
export async function signInAccount(
  ctx: Context,
  request: FastifyRequest,
  username: string,
  password: string | undefined,
): Promise<Account> {
  if (password === undefined) return demoAccount(ctx, request, username)
  return passwordAccount(ctx, request, username, password)
}

/** Signs in with a password: rate-limited, in the same time whether or not the account exists, and audited. */
async function passwordAccount(
  ctx: Context,
  request: FastifyRequest,
  username: string,
  password: string,
): Promise<Account> {
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  const network = networkOf(request.ip)
  const attempt = {
    realmId: realm.id,
    emailKey: foldCase(username.trim()),
    network,
    failuresPerAddress: ctx.config.signInFailures,
    onFailure: () =>
      transactIn(ctx, realm.id, (tx) =>
        tx.enqueue('audit_failed_sign_in', {
          ...{ email: username.trim(), ip_address: request.ip, device: deviceOf(request) },
        }),
      ),
    onLimit: () =>
      transactIn(ctx, realm.id, (tx) =>
        tx.enqueue('report_failed_sign_ins', { email: username.trim(), ip_address: request.ip }),
      ),
  }
  const account = await limitGuesses(ctx.db, attempt, AuthenticationFailed, () =>
    accessWithPassword(ctx.db, realm, username, password, network),
  )
  await transactIn(ctx, realm.id, async (tx) => {
    await recordSignIn(tx, account.id, request)
    await auditSignIn(tx, account, request)
  })
  return account
}

function auditSignIn(tx: Tx, { id }: Account, request: FastifyRequest): Promise<void> {
  return tx.audit(id, 'signed_in', { user_id: id, device: deviceOf(request) })
}

function deviceOf({ headers }: FastifyRequest): string {
  return deviceName(headers['user-agent'] ?? '')
}

/** Gives out the API key, or a token to clients that name their device. */
export async function fetchKey(ctx: Context, request: FastifyRequest, params: ParamsOf<typeof fetchApiKey>) {
  const { username, password, device_name } = params
  const account = await passwordAccount(ctx, request, username, password)
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
  await transactIn(ctx, realm.id, (tx) => auditSignIn(tx, account, request))
  return account
}

export function requireDemo({ config }: Context): void {
  if (config.mode !== 'demo') throw new ApiError('Only the demo server signs in without a password.')
}

function keyOf({ vault }: Context, { id, email, api_key_sealed }: Account) {
  return { api_key: vault.open(api_key_sealed), email, user_id: id }
}
