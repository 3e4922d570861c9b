import { hash } from 'node:crypto'
import { roles } from '@parley/api/common'
import type { Operation } from '@parley/api/operation'
import type { RealmGroupSetting } from '@parley/api/permission-settings'
import { isAdmin, isGuest, isModerator, mayInRealm } from '@parley/api/permissions'
import { sql } from 'kysely'
import { loader } from '../events/commit/loader.ts'
import type { Tx } from '../events/transact.ts'
import type { Db } from '../platform/db/pool.ts'
import { emailKey } from '../platform/emails.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { hashKey } from '../platform/secrets.ts'
import { apiEmail } from './api-email.ts'
import {
  type Caller,
  type CallerRow,
  callerSize,
  loadCallerByKey,
  loadCallerBySecret,
  readCallerRow,
  toCaller,
} from './caller.ts'
import { isExpired } from './credential.ts'
import { RealmCache } from './realm-cache.ts'
import { fakeDomain, loadState, type RealmState } from './realm-state.ts'

export class Unauthorized extends ApiError {
  constructor(message: string) {
    super(message, 'UNAUTHORIZED', { headers: { 'WWW-Authenticate': 'Basic realm="parley"' } })
  }
}

const incomingWebhookBot = 2
const keyPattern = /^[a-zA-Z0-9]{32}$/
const tokenPattern = /^parley_[A-Za-z0-9_-]{43}$/

interface Credentials {
  /** Folded, so that every spelling of one account's credentials shares one cache entry. Undefined for Bearer. */
  email: string | undefined
  key: string
}

const bounds = { entries: 50_000, bytes: 64 * 1024 * 1024, sizeOf: callerSize }
/** Callers by a hash of their credentials, so that keys have a fixed size and reveal no credentials. */
const callersByCredentials = new RealmCache<string, Caller>(bounds)
const callersBySession = new RealmCache<string, Caller>(bounds)

/** The cached caller for this Authorization header, if there is one. */
export function cachedCaller(state: RealmState, header: string): Caller | undefined {
  const credentials = parseHeader(header)
  return credentials && unlessExpired(callersByCredentials.get(state, hashCredentials(credentials)))
}

/** The cached caller for the session with this hash, if there is one. */
export function cachedSessionCaller(state: RealmState, secretHash: Buffer): Caller | undefined {
  return unlessExpired(callersBySession.get(state, secretHash.toString('base64')))
}

/** An expired session is looked up again, because another process may have seen it in use. */
export function unlessExpired(caller: Caller | undefined): Caller | undefined {
  return caller?.credential && isExpired(caller.credential) ? undefined : caller
}

/** The caller of the session whose secret has this hash. */
export async function authenticateSession(db: Db, state: RealmState, secretHash: Buffer): Promise<Caller> {
  const caller = await loadCallerBySecret(db, state, secretHash)
  if (caller?.credential?.kind !== 'session' || !unlessExpired(caller))
    throw new Unauthorized('Your session has ended. Sign in again.')
  checkActive(state, caller)
  return callersBySession.set(state, secretHash.toString('base64'), caller)
}

/** The caller an Authorization header authenticates. Only well-formed credentials are looked up. */
export async function authenticate(db: Db, state: RealmState, header: string | undefined): Promise<Caller> {
  if (header === undefined) throw new Unauthorized('Missing authorization header')
  const credentials = parseHeader(header)
  if (!credentials) throw refusalOf(header)
  const caller = await authenticateKey(db, state, credentials.key, credentials.email)
  return callersByCredentials.set(state, hashCredentials(credentials), caller)
}

/** Clients expect 400 for other schemes, and a 401 challenge for malformed Basic credentials. */
function refusalOf(header: string): ApiError {
  const [scheme, ...rest] = header.trim().split(/\s+/)
  if (rest.length === 1 && scheme!.toLowerCase() !== 'basic')
    return new ApiError('This endpoint requires HTTP basic authentication.')
  return new Unauthorized('Invalid authorization header for basic auth')
}

function hashCredentials({ email, key }: Credentials): string {
  return hash('sha256', `${key}:${email ?? ''}`, 'base64')
}

/** The caller with this API key or token. If an email is given, it must be the account's real email or the one shown to others. */
export async function authenticateKey(db: Db, state: RealmState, key: string, email?: string): Promise<Caller> {
  const caller = await findByKey(db, state, key)
  if (!caller || (email !== undefined && !hasEmail(caller, email))) throw new Unauthorized('Invalid API key')
  checkActive(state, caller)
  return caller
}

async function findByKey(db: Db, state: RealmState, key: string): Promise<Caller | undefined> {
  if (keyPattern.test(key)) return loadCallerByKey(db, state, hashKey(key))
  return tokenPattern.test(key) ? unlessExpired(await loadCallerBySecret(db, state, hashKey(key))) : undefined
}

function checkActive({ realm }: RealmState, { is_active }: Caller): void {
  if (realm.deactivated) throw new Unauthorized('This organization has been deactivated')
  if (!is_active) throw new Unauthorized('Account is deactivated')
}

/** The caller as of now: the given one, unless something was changed in the realm since it was loaded. */
export async function currentCaller(tx: Tx, caller: Caller): Promise<Caller> {
  const [counters] = await readAccessVersion(tx, {})
  if (counters!.version === caller.state.accessVersion) return caller
  return { ...(await reloadCaller(tx.db, caller)), credential: caller.credential }
}

const readAccessVersion = loader(
  {},
  ({ realmId }) => sql<{ version: number }>`
    select access_version as version from realm_counters where realm_id = ${realmId}`,
)

/** The caller as `db` reads it now, without any cache. */
export async function reloadCaller(db: Db, { realm_id, id }: Pick<Caller, 'realm_id' | 'id'>): Promise<Caller> {
  const state = await loadState(db, realm_id)
  return activeCaller(await readCallerRow(db, realm_id, id), state)
}

/** The caller of a row that was read together with the state of the realm, or after it. */
export function activeCaller(row: CallerRow | undefined, state: RealmState): Caller {
  if (!row?.is_active) throw new Unauthorized('Account is deactivated')
  return toCaller(row, state)
}

function hasEmail(caller: Caller, email: string): boolean {
  const { email_address_visibility } = caller.settings
  const shown = apiEmail({ ...caller, email_address_visibility }, fakeDomain(caller.realm))
  return [caller.email, shown].some((own) => emailKey(own) === emailKey(email))
}

/** `Basic`, any white space, and base64 in either alphabet. */
const basicPattern = /^\s*basic\s+([a-z0-9+/_-]+={0,2})\s*$/i
const utf8 = new TextDecoder('utf-8', { fatal: true })

const bearerPattern = /^\s*bearer\s+(\S+)\s*$/i

/** Tokens may also come alone, as Bearer. API keys need the email, as clients send it. */
function parseHeader(header: string): Credentials | undefined {
  const token = bearerPattern.exec(header)?.[1]
  return token && tokenPattern.test(token) ? { email: undefined, key: token } : parseBasic(header)
}

function parseBasic(header: string): Credentials | undefined {
  const encoded = basicPattern.exec(header)?.[1]
  const [email, key, ...rest] = encoded === undefined ? [] : decode(encoded).split(':')
  if (email === undefined || key === undefined || rest.length > 0) return undefined
  return { email: emailKey(email.trim()), key: key.trim() }
}

/** Empty if the bytes are not UTF-8. */
function decode(base64: string): string {
  try {
    return utf8.decode(Buffer.from(base64, 'base64'))
  } catch {
    return ''
  }
}

/** Checks the operation's access level, before any parameter is decoded. */
export function checkAccess(access: Operation['access'], caller: Caller): void {
  if (caller.bot_type === incomingWebhookBot && access !== 'sender')
    throw new Unauthorized('This API is not available to incoming webhook bots.')
  if (access === 'owner' && caller.role !== roles.owner) throw mustBe('an organization owner')
  if (access === 'moderator' && !isModerator(caller)) throw mustBe('a moderator')
  if (access === 'admin' && !isAdmin(caller)) throw mustBe('an organization administrator')
  if ((access === 'member' || access === 'human_member') && isGuest(caller))
    throw new ApiError('Not allowed for guest users')
  if ((access === 'human' || access === 'human_member') && caller.bot_type !== null)
    throw new ApiError('This endpoint does not accept bot requests.')
}

/** Checks the permission that an operation requires, before any parameter is decoded. */
export function checkPermission(permission: RealmGroupSetting, caller: Caller): void {
  if (!mayInRealm(caller, caller.realm, permission)) throw new ApiError('Insufficient permission')
}

function mustBe(what: string): ApiError {
  return new ApiError(`Must be ${what}`, 'UNAUTHORIZED_PRINCIPAL')
}
