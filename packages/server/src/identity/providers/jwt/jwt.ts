import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'
import type { UserObject } from '@parley/api/people/users'
import type { FastifyRequest } from 'fastify'
import type { JWTPayload } from 'jose'
import { reloadCaller } from '../../../callers/authenticate.ts'
import type { Realm } from '../../../callers/realm-state.ts'
import type { Config } from '../../../config.ts'
import type { Context } from '../../../context.ts'
import { realmOf } from '../../../organization/realms/request-realm.ts'
import { accessUser, shownUser } from '../../../people/users/queries.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { recordSignedIn } from '../../sessions/sign-in-notices.ts'
import { type Account, accessAccount, checkRealmActive, findAccount } from '../../sign-in/accounts.ts'

type JwtKey = Config['signOn']['jwt'][number]

class InvalidToken extends ApiError {
  constructor() {
    super('The token is not valid here.', 'AUTHENTICATION_FAILED')
  }
}

/** The account that a token of another system names. That system is trusted to know its users: it has the key. */
export async function jwtAccount(ctx: Context, request: FastifyRequest, token: string): Promise<Account> {
  const realm = await realmOf(ctx, request)
  checkRealmActive(realm)
  const { email } = await verify(keysOf(ctx.config, realm), token)
  const found = typeof email === 'string' ? await findAccount(ctx.db, realm.id, email) : undefined
  if (!found || found.is_bot) throw new InvalidToken()
  const account = await accessAccount(ctx.db, realm.id, found.id)
  await recordSignedIn(ctx, request, account, 'jwt')
  return account
}

/** The user as they see themselves. */
export async function ownProfile(db: Db, account: Pick<Account, 'realm_id' | 'id'>): Promise<UserObject> {
  const caller = await reloadCaller(db, account)
  return shownUser(await accessUser(db, caller, account.id), caller, { clientGravatar: false, profiles: null })
}

function keysOf({ signOn }: Config, { string_id }: Realm): JwtKey[] {
  return signOn.jwt.filter(({ realm }) => realm === undefined || realm === string_id)
}

const longestMs = 3_600_000

/** The content of a token that one of the keys has signed. Tokens must end, or a stolen one would work for ever. */
async function verify(keys: JwtKey[], token: string): Promise<JWTPayload> {
  if (keys.length === 0) throw new ApiError('JWT authentication is not enabled for this organization')
  const { jwtVerify } = await import('jose')
  for (const key of keys) {
    const { algorithm, audience, issuer } = key
    const options = { algorithms: [algorithm], requiredClaims: ['email', 'exp'], ...(audience && { audience }) }
    try {
      const { payload } = await jwtVerify(token, keyObject(key), { ...options, ...(issuer && { issuer }) })
      if (payload.exp! * 1000 <= Date.now() + longestMs) return payload
    } catch {} // not signed with this key
  }
  throw new InvalidToken()
}

function keyObject(key: JwtKey): KeyObject {
  return 'key' in key ? createSecretKey(Buffer.from(key.key)) : createPublicKey(key.public_key)
}
