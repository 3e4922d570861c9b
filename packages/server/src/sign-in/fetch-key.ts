import type { FastifyRequest } from 'fastify'
import { type Context, transactIn } from '../context.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { networkOf } from '../platform/http/network.ts'
import { foldCase } from '../platform/text.ts'
import { checkEmail } from '../users/actions.ts'
import {
  type Account,
  AuthenticationFailed,
  accessWithoutPassword,
  accessWithPassword,
  checkRealmActive,
} from './accounts.ts'
import { limitGuesses } from './attempt-limit.ts'
import { realmOf } from './request-realm.ts'

/** Signs in with a password: rate-limited, in the same time whether or not the account exists, and audited. */
export async function signIn(ctx: Context, request: FastifyRequest, username: string, password: string) {
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  const network = networkOf(request.ip)
  const attempt = {
    realmId: realm.id,
    emailKey: foldCase(username.trim()),
    network,
    failuresPerAddress: ctx.config.signInFailures,
  }
  const account = await limitGuesses(ctx.db, attempt, AuthenticationFailed, () =>
    accessWithPassword(ctx.db, realm, username, password, network),
  )
  await transactIn(ctx, realm.id, (tx) => tx.audit(account.id, 'signed_in', { address: request.ip }))
  return keyOf(ctx, account)
}

/** Signs in without a password. Only the demo server allows this. */
export async function signInForDemo(ctx: Context, request: FastifyRequest, username: string) {
  requireDemo(ctx)
  checkEmail(username)
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  return keyOf(ctx, await accessWithoutPassword(ctx.db, realm, username))
}

export function requireDemo({ config }: Context): void {
  if (config.mode !== 'demo') throw new ApiError('Only the demo server signs in without a password.')
}

function keyOf({ vault }: Context, { id, email, api_key_sealed }: Account) {
  return { api_key: vault.open(api_key_sealed), email, user_id: id }
}
