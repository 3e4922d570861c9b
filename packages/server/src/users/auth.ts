import { roles } from '@parley/api/common'
import type { Operation } from '@parley/api/operation'
import type { RealmGroupSetting } from '@parley/api/settings'
import { isAdmin, isGuest, mayInRealm } from '../groups/permission.ts'
import type { Db } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { hashKey } from '../platform/secrets.ts'
import { foldCase } from '../platform/text.ts'
import { loadState, type RealmState } from '../realms/state.ts'
import { type Caller, loadCaller, loadCallerByKey } from './caller.ts'

export class Unauthorized extends ApiError {
  constructor(message: string) {
    super(message, 'UNAUTHORIZED', { headers: { 'WWW-Authenticate': 'Basic realm="parley"' } })
  }
}

const incomingWebhookBot = 2

/** The caller remembered for this Authorization header, if there is one. */
export function knownCaller(state: RealmState, header: string): Caller | undefined {
  return state.recall<Caller>(header)
}

/** Whom an Authorization header stands for. Everything that is wrong with it fails alike. */
export async function authenticate(db: Db, state: RealmState, header: string | undefined): Promise<Caller> {
  const { email, key } = parseBasic(header)
  return state.remember(header!, await authenticateKey(db, state, key, email))
}

/** Whom an API key stands for, if it is that of `email` where one is named. */
export async function authenticateKey(db: Db, state: RealmState, key: string, email?: string): Promise<Caller> {
  if (!/^[a-zA-Z0-9]{32}$/.test(key)) throw new Unauthorized('Invalid API key')
  const caller = await loadCallerByKey(db, state, hashKey(key))
  if (!caller || (email !== undefined && foldCase(caller.email) !== foldCase(email)))
    throw new Unauthorized('Invalid API key')
  if (state.realm.deactivated) throw new Unauthorized('This organization has been deactivated')
  if (!caller.is_active) throw new Unauthorized('Account is deactivated')
  return caller
}

/** The caller as of the moment that `db` reads, with nothing remembered from earlier ones. */
export async function reloadCaller(db: Db, { realm_id, id }: Pick<Caller, 'realm_id' | 'id'>): Promise<Caller> {
  const caller = await loadCaller(db, await loadState(db, realm_id), id)
  if (!caller?.is_active) throw new Unauthorized('Account is deactivated')
  return caller
}

function parseBasic(header: string | undefined): { email: string; key: string } {
  if (header === undefined) throw new Unauthorized('Missing authorization header')
  const [scheme, encoded, ...rest] = header.trim().split(/\s+/)
  if (scheme?.toLowerCase() !== 'basic') throw new ApiError('This endpoint requires HTTP basic authentication.')
  const parts = encoded && rest.length === 0 ? decodeBase64(encoded)?.split(':') : undefined
  if (parts?.length !== 2) throw new Unauthorized('Invalid authorization header for basic auth')
  return { email: parts[0]!.trim(), key: parts[1]!.trim() }
}

function decodeBase64(encoded: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
}

/** The operation's gate, before any parameter is looked at. */
export function checkAccess(access: Operation['access'], caller: Caller): void {
  if (caller.bot_type === incomingWebhookBot && access !== 'sender')
    throw new Unauthorized('This API is not available to incoming webhook bots.')
  if (access === 'owner' && caller.role !== roles.owner) throw mustBe('an organization owner')
  if (access === 'admin' && !isAdmin(caller)) throw mustBe('an organization administrator')
  if ((access === 'member' || access === 'human_member') && isGuest(caller))
    throw new ApiError('Not allowed for guest users')
  if ((access === 'human' || access === 'human_member') && caller.bot_type !== null)
    throw new ApiError('This endpoint does not accept bot requests.')
}

/** The permission an operation asks for, before any parameter is looked at. */
export function checkPermission(permission: RealmGroupSetting, caller: Caller): void {
  if (!mayInRealm(caller, caller.realm, permission)) throw new ApiError('Insufficient permission')
}

function mustBe(what: string): ApiError {
  return new ApiError(`Must be ${what}`, 'UNAUTHORIZED_PRINCIPAL')
}
