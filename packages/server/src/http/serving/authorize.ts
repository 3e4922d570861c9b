import type { Operation } from '@parley/api/operation'
import type { RequiredScope } from '@parley/api/scopes'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  authenticate,
  authenticateKey,
  authenticateSession,
  cachedCaller,
  cachedSessionCaller,
  checkAccess,
  checkPermission,
  unlessExpired,
} from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import { checkScope } from '../../callers/credential.ts'
import type { RealmState } from '../../callers/realm-state.ts'
import { isToolCall } from '../../callers/tool-calls.ts'
import type { Context } from '../../context.ts'
import { sessionHashOf } from '../../identity/sessions/session-cookie.ts'
import { touchCredential } from '../../identity/sessions/stored-credentials.ts'
import { noRealm, realmOf } from '../../organization/realms/request-realm.ts'
import { FairQueue } from '../../platform/fair-queue.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { checkFromOwnPage, checkOwnForm } from '../../platform/http/cross-site.ts'
import { networkOf } from '../../platform/http/network.ts'
import { allowanceOf, type Limited, limitAddress, limitCaller, limitFiles } from './quotas.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
  }
}

/** Without a scope, tokens of limited scopes are refused. */
type Gate = Pick<Operation, 'access' | 'permission' | 'isSignIn' | 'scope'>
type Authorize = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Authenticates and authorizes the caller before the body is read. Synchronous if everything is cached. */
export function authorize(app: Limited, gate: Gate): Authorize {
  if (gate.access === 'anyone') {
    const limit = gate.isSignIn ? app.limits.signIn : app.limits.open
    return (request, reply, done) => guarded(done, () => limitAddress(app, request, reply, limit))
  }
  return (request, reply, done) => {
    const known = cachedCallerOf(app.ctx, request)
    if (known) return guarded(done, () => admit(app, gate, request, reply, known))
    find(app, request, reply, callerOf).then(
      (caller) => guarded(done, () => admit(app, gate, request, reply, caller)),
      (error: Error) => done(error),
    )
  }
}

/**
 * The same for files. They have their own rate limit; where a client cannot send headers, the key may be in the URL.
 */
export function authorizeFiles(app: Limited): Authorize {
  return (request, reply, done) => {
    find(app, request, reply, fileCallerOf).then(
      (caller) =>
        guarded(done, () => {
          request.caller = caller
          limitFiles(app, request, reply, allowanceOf(caller))
          checkAccess('user', caller)
          checkCredential(app, request, caller, 'read')
        }),
      (error: Error) => done(error),
    )
  }
}

/** The same where files of open channels need no credentials: without any, the request has no caller. */
export function authorizeFilesOrReader(app: Limited): Authorize {
  const [withCredentials, without] = [authorizeFiles(app), authorizeOpenFiles(app)]
  return (request, reply, done) => (hasCredentials(request) ? withCredentials : without)(request, reply, done)
}

function hasCredentials({ headers: { authorization, cookie }, query }: FastifyRequest): boolean {
  return (authorization ?? (query as RawParams).api_key) !== undefined || sessionHashOf(cookie) !== undefined
}

/** For agents, which have tokens of their own: see `checkScope`. */
export function authorizeAgent(app: Limited): Authorize {
  return (request, reply, done) => {
    find(app, request, reply, callerOf).then(
      (caller) =>
        guarded(done, () => {
          request.caller = caller
          limitCaller(app, request, reply, caller)
          if (!caller.credential?.agent)
            throw new ApiError('This URL needs the token of an agent: see docs/agents.md.', 'SCOPE_REQUIRED')
          touchCredential(app.ctx, caller, request.ip)
        }),
      (error: Error) => done(error),
    )
  }
}

/** For files that need no credentials. */
export function authorizeOpenFiles(app: Limited): Authorize {
  return (request, reply, done) => guarded(done, () => limitFiles(app, request, reply, networkOf(request.ip)))
}

function guarded(done: (error?: Error) => void, check: () => void): void {
  try {
    check()
  } catch (error) {
    done(error as Error)
    return
  }
  done()
}

function admit(app: Limited, gate: Gate, request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
  request.caller = caller
  limitCaller(app, request, reply, caller)
  checkGate(app, gate, request, caller)
}

function checkGate(app: Limited, gate: Gate, request: FastifyRequest, caller: Caller): void {
  checkCredential(app, request, caller, gate.scope ?? 'full')
  checkAccess(gate.access, caller)
  if (gate.permission) checkPermission(gate.permission, caller)
}

/**
 * Whether the caller must be confirmed after the body was read: a client can send it slowly, and the credentials may have
 * been revoked in that time.
 */
export function mayBeRevoked(app: Limited, request: FastifyRequest): boolean {
  const { body, caller } = request
  return caller !== undefined && body !== undefined && cachedCallerOf(app.ctx, request) !== caller
}

/** The caller of a request that has waited, as of now. Throws if they may no longer call the operation. */
export async function confirmCaller(app: Limited, gate: Gate, request: FastifyRequest): Promise<Caller> {
  const caller = (await confirmedCallerOf(app.ctx, request)) ?? (await callerOf(app.ctx, request))
  if (caller !== request.caller) checkGate(app, gate, request, caller)
  request.caller = caller
  return caller
}

/** What a session or token adds to the rules: the origin of writes, scopes, and the time of the last use. */
export function checkCredential({ ctx }: Limited, request: FastifyRequest, caller: Caller, scope: RequiredScope): void {
  if (!caller.credential) return
  if (caller.credential.kind === 'session') checkFromOwnPage(request)
  checkScope(caller.credential, scope, isToolCall(request.headers))
  touchCredential(ctx, caller, request.ip)
}

/**
 * Runs few lookups at a time per IP address. Many may wait, because a whole office behind one IP address may send valid
 * credentials at once, and each counts as failed until its caller is found.
 */
const lookUps = new FairQueue({
  concurrency: Infinity,
  concurrencyPerOwner: 10,
  waitingPerOwner: 100_000, // open connections are the actual bound
  waitingInTotal: 100_000,
})

async function find(app: Limited, request: FastifyRequest, reply: FastifyReply, findIn: FindCaller): Promise<Caller> {
  return (await confirmedCallerOf(app.ctx, request)) ?? lookUp(app, request, reply, findIn)
}

type FindCaller = (ctx: Context, request: FastifyRequest) => Promise<Caller>

function lookUp(app: Limited, request: FastifyRequest, reply: FastifyReply, findIn: FindCaller): Promise<Caller> {
  return countRefused(app, request, reply, () => findIn(app.ctx, request))
}

/**
 * Looks up credentials. They count as failed before the lookup, so that an IP address with too many failures costs no
 * query; the count is reverted unless they are refused.
 */
export function countRefused<T>(
  app: Limited,
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => Promise<T>,
): Promise<T> {
  const network = networkOf(request.ip)
  return lookUps.run(network, async () => {
    limitAddress(app, request, reply, app.limits.refused)
    let isRefused = false
    try {
      return await find()
    } catch (error) {
      isRefused = error instanceof ApiError
      throw error
    } finally {
      if (!isRefused) app.limits.refused.giveBack(network)
    }
  })
}

type Asking = Pick<FastifyRequest, 'headers' | 'socket'>

/** The caller, if it is cached and fresh. */
export function cachedCallerOf(ctx: Context, request: Asking): Caller | undefined {
  const realmId = knownRealmOf(ctx, request)
  return realmId === undefined ? undefined : cachedCallerIn(ctx.realms.known(realmId), request)
}

/** The caller, if it is cached and the database confirms that it is fresh. */
export async function confirmedCallerOf(ctx: Context, request: Asking): Promise<Caller | undefined> {
  const realmId = knownRealmOf(ctx, request)
  if (realmId === undefined) return undefined
  return cachedCallerIn(ctx.realms.known(realmId) ?? (await ctx.realms.confirm(realmId)), request)
}

function knownRealmOf({ hosts }: Context, { headers: { authorization, cookie, host } }: Asking): number | undefined {
  return (authorization ?? cookie) ? hosts.known(host) : undefined
}

interface Recent {
  authorization: string | undefined
  cookie: string | undefined
  caller: Caller
}

/** The caller of the previous request on each connection: most clients send the same credentials with every request. */
const recentCallers = new WeakMap<object, Recent>()

function cachedCallerIn(state: RealmState | undefined, { headers, socket }: Asking): Caller | undefined {
  if (!state) return undefined
  const { authorization, cookie } = headers
  const recent = recentCallers.get(socket)
  if (recent?.caller.state === state && recent.authorization === authorization && recent.cookie === cookie)
    return unlessExpired(recent.caller)
  const caller = findCached(state, authorization, cookie)
  if (caller) recentCallers.set(socket, { authorization, cookie, caller })
  return caller
}

function findCached(
  state: RealmState,
  authorization: string | undefined,
  cookie: string | undefined,
): Caller | undefined {
  const session = sessionHashOf(cookie)
  if (session && authorization) return undefined
  return session ? cachedSessionCaller(state, session) : authorization ? cachedCaller(state, authorization) : undefined
}

async function callerOf(ctx: Context, request: FastifyRequest): Promise<Caller> {
  const realmId = await ctx.hosts.realmIdOf(request.headers.host)
  if (realmId === undefined) throw noRealm()
  return authenticateIn(ctx, await ctx.realms.get(realmId), request)
}

function authenticateIn({ db }: Context, state: RealmState, { headers }: FastifyRequest): Promise<Caller> {
  const session = sessionHashOf(headers.cookie)
  if (!session) return authenticate(db, state, headers.authorization)
  if (headers.authorization !== undefined)
    throw new ApiError('Send either the session cookie or an Authorization header, not both.')
  return authenticateSession(db, state, session)
}

/**
 * The caller whose session cookie a page was requested with, if the session is alive. Forms cannot set the header that
 * other writes with a session need, so the browser itself must say that the form is ours.
 */
export async function sessionCallerOf(ctx: Context, request: FastifyRequest): Promise<Caller | undefined> {
  const session = sessionHashOf(request.headers.cookie)
  if (!session) return undefined
  checkOwnForm(request)
  try {
    const state = await ctx.realms.get((await realmOf(ctx, request)).id)
    request.caller = await authenticateSession(ctx.db, state, session)
    return request.caller
  } catch (error) {
    if (error instanceof ApiError && error.code === 'UNAUTHORIZED') return undefined
    throw error
  }
}

async function fileCallerOf(ctx: Context, request: FastifyRequest): Promise<Caller> {
  const { api_key } = request.query as RawParams
  if (request.headers.authorization !== undefined || api_key === undefined) return callerOf(ctx, request)
  return authenticateKey(ctx.db, await ctx.realms.get((await realmOf(ctx, request)).id), api_key)
}
