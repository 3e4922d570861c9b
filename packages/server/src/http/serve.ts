import { lookup } from '@parley/api/lookup'
import type { Operation, ParamsOf, PathOf, ResponseOf } from '@parley/api/operation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TProperties } from 'typebox'
import { isLoopback } from '../boot/config.ts'
import type { Context } from '../context.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import { ApiError } from '../platform/http/api-error.ts'
import type { RawParams } from '../platform/http/body.ts'
import { decoderOf, refuseBrokenText } from '../platform/http/decode.ts'
import { bodyOf } from '../platform/http/envelope.ts'
import { networkOf } from '../platform/http/network.ts'
import type { RateLimit } from '../platform/http/rate-limit.ts'
import { dropUpload } from '../platform/http/upload.ts'
import type { Realm } from '../realms/state.ts'
import { noRealm, realmOf } from '../sign-in/request-realm.ts'
import { authenticate, authenticateKey, cachedCaller, checkAccess, checkPermission } from '../users/authenticate.ts'
import { type Caller, queueOwner } from '../users/caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
  }
}

/** What a handler receives: the request, decoded as the operation declares it. */
export interface Call<O extends Operation> {
  path: PathOf<O>
  params: ParamsOf<O>
  /** Absent only for operations that need no credentials. */
  user: O['access'] extends 'anyone' ? undefined : Caller
  /** Unknown parameters; `serve` lists them in the response. */
  ignored: string[]
  request: FastifyRequest
  reply: FastifyReply
}

/** Returned by a handler that keeps the connection and will respond by itself. */
export const held = Symbol('held')

/** Returns the fields of the response, or the whole response as text, which is sent unchanged. */
export type Handler<O extends Operation> = (
  call: Call<O>,
) => Promise<ResponseOf<O> | string | typeof held> | ResponseOf<O>

export interface App {
  server: FastifyInstance
  ctx: Context
  /** `address` limits requests without valid credentials, `signIn` attempts with a password; both per IP address. */
  limits: { user: RateLimit; address: RateLimit; signIn: RateLimit; files: RateLimit }
}

const base = '/api/v1'

/** Serves an expensive operation that needs credentials: callers take turns in a fair queue. */
export function serveInTurn<Path extends TProperties, Params extends TProperties, Response extends TProperties>(
  app: App,
  operation: Operation<Path, Params, Response>,
  handler: Handler<Operation<Path, Params, Response>>,
): void {
  serve(app, operation, (call) => app.ctx.heavyRequests.run(queueOwner(call.request.caller!), () => handler(call)))
}

/** Registers the route of an operation: limits, authentication, gate, parameters, handler, envelope. */
export function serve<Path extends TProperties, Params extends TProperties, Response extends TProperties>(
  app: App,
  operation: Operation<Path, Params, Response>,
  handler: Handler<Operation<Path, Params, Response>>,
): void {
  const decode = decoderOf(operation as Operation)
  const authorizeCaller = authorize(app, operation as Operation)
  for (const path of [operation.path, ...(operation.aliases ?? [])]) {
    app.server.route({
      method: operation.method,
      url: base + routePattern(path, operation.pathParams),
      config: { operation: operation.name, fileLimit: operation.fileLimit },
      exposeHeadRoute: operation.method === 'GET',
      onRequest: authorizeCaller,
      handler: async (request, reply) => {
        const { params, ignored } = decode(request.body as RawParams | undefined, request.query as RawParams)
        const call = {
          path: pathOf(operation.pathParams, request),
          params,
          user: request.caller,
          ignored,
          request,
          reply,
        }
        const answer = await handler(call as never)
        if (request.upload) await dropUpload(request)
        if (answer === held) return undefined
        const body = typeof answer === 'string' ? answer : await bodyOf(enveloped(answer, ignored), request, reply)
        return reply.type('application/json; charset=utf-8').send(body)
      },
    })
  }
}

export function envelope(answer: object, ignored: string[]): string {
  return JSON.stringify(enveloped(answer, ignored))
}

function enveloped(answer: object, ignored: string[]): object {
  const common = { result: 'success', msg: '' }
  return ignored.length > 0
    ? { ...common, ...answer, ignored_parameters_unsupported: ignored }
    : { ...common, ...answer }
}

type PathPart = { type?: string; 'x-rest'?: boolean }

/** `{user_id}` in the router's notation; numbers match digits only, so that anything else is a 404. */
function routePattern(path: string, pathParams: TProperties): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part = lookup(pathParams, name) as PathPart
    if (part['x-rest']) return '*'
    return part.type === 'integer' ? `:${name}(^\\d{1,15}$)` : `:${name}`
  })
}

function pathOf(pathParams: TProperties, request: FastifyRequest): Record<string, unknown> {
  const parts = Object.entries(request.params as Record<string, string>).map(([key, text]) => {
    const name = key === '*' ? restName(pathParams) : key
    refuseBrokenText(name, text)
    return [name, (lookup(pathParams, name) as PathPart).type === 'integer' ? Number(text) : text]
  })
  return Object.fromEntries(parts)
}

function restName(pathParams: TProperties): string {
  return Object.keys(pathParams).find((name) => (lookup(pathParams, name) as PathPart)['x-rest'])!
}

type Gate = Pick<Operation, 'access' | 'permission' | 'isSignIn'>
type Authorize = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Authenticates and authorizes the caller before the body is read. Synchronous if everything is cached. */
export function authorize(app: App, gate: Gate): Authorize {
  if (gate.access === 'anyone') {
    const limit = gate.isSignIn ? app.limits.signIn : app.limits.address
    return (request, reply, done) => guarded(done, () => limitAddress(app, request, reply, limit))
  }
  return (request, reply, done) => {
    const known = cachedCallerOf(app.ctx, request)
    if (known) return guarded(done, () => admit(app, gate, request, reply, known))
    lookUp(app, request, reply, callerOf).then(
      (caller) => guarded(done, () => admit(app, gate, request, reply, caller)),
      (error: Error) => done(error),
    )
  }
}

/**
 * The same for files. They have their own rate limit; where a client cannot send headers, the key may be in the URL.
 */
export function authorizeFiles(app: App): Authorize {
  return (request, reply, done) => {
    const known = cachedCallerOf(app.ctx, request)
    const found = known ? Promise.resolve(known) : lookUp(app, request, reply, fileCallerOf)
    found.then(
      (caller) =>
        guarded(done, () => {
          request.caller = caller
          limitFiles(app, request, reply, allowanceOf(caller))
          checkAccess('user', caller)
        }),
      (error: Error) => done(error),
    )
  }
}

/** For files that need no credentials. */
export function authorizeOpenFiles(app: App): Authorize {
  return (request, reply, done) => guarded(done, () => limitFiles(app, request, reply, networkOf(request.ip)))
}

function limitFiles(app: App, request: FastifyRequest, reply: FastifyReply, key: string): void {
  app.ctx.slowClients.attribute(request.raw.socket, key)
  spend(app, request, reply, app.limits.files, key)
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

function admit(app: App, gate: Gate, request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
  request.caller = caller
  const allowance = allowanceOf(caller)
  app.ctx.slowClients.attribute(request.raw.socket, allowance)
  spend(app, request, reply, app.limits.user, allowance)
  checkAccess(gate.access, caller)
  if (gate.permission) checkPermission(gate.permission, caller)
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

/**
 * Looks up the caller. Credentials count as failed before the lookup, so that an IP address with too many failures
 * costs no query; the count is reverted unless they are refused.
 */
function lookUp(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  find: (ctx: Context, request: FastifyRequest) => Promise<Caller>,
): Promise<Caller> {
  const network = networkOf(request.ip)
  return lookUps.run(network, async () => {
    limitAddress(app, request, reply, app.limits.address)
    let isRefused = false
    try {
      return await find(app.ctx, request)
    } catch (error) {
      isRefused = error instanceof ApiError
      throw error
    } finally {
      if (!isRefused) app.limits.address.giveBack(network)
    }
  })
}

function limitAddress(app: App, request: FastifyRequest, reply: FastifyReply, limit: RateLimit): void {
  const network = networkOf(request.ip)
  app.ctx.slowClients.attribute(request.raw.socket, network)
  spend(app, request, reply, limit, network)
}

function spend(app: App, request: FastifyRequest, reply: FastifyReply, limit: RateLimit, key: string): void {
  reply.headers(quotaHeaders(app, request.ip, limit, key))
}

/** Whose rate limit a caller uses: bots share their owner's. */
export function allowanceOf({ id, bot_owner_id }: Caller): string {
  return `user ${bot_owner_id ?? id}`
}

/** Takes one request from an allowance and sets the headers that show what is left. */
export function quotaHeaders({ ctx }: App, address: string, limit: RateLimit, key: string): Record<string, string> {
  if (ctx.config.rateLimit === 0) return {}
  const quota = isExempt(ctx, address) ? limit.full() : limit.take(key)
  return {
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(quota.remaining),
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000 + quota.reset)),
  }
}

function isExempt({ config }: Context, address: string): boolean {
  return config.mode === 'demo' && isLoopback(address)
}

/** The caller, if it is cached. */
export function cachedCallerOf(ctx: Context, request: Pick<FastifyRequest, 'headers'>): Caller | undefined {
  const header = request.headers.authorization
  const realmId = ctx.hosts.known(request.headers.host)
  const state = header !== undefined && realmId !== undefined ? ctx.realms.known(realmId) : undefined
  return state && cachedCaller(state, header!)
}

async function callerOf(ctx: Context, request: FastifyRequest): Promise<Caller> {
  const realmId = await ctx.hosts.realmIdOf(request.headers.host)
  if (realmId === undefined) throw noRealm()
  return authenticate(ctx.db, await ctx.realms.get(realmId), request.headers.authorization)
}

async function fileCallerOf(ctx: Context, request: FastifyRequest): Promise<Caller> {
  const { api_key } = request.query as RawParams
  if (request.headers.authorization !== undefined || api_key === undefined) return callerOf(ctx, request)
  return authenticateKey(ctx.db, await ctx.realms.get((await realmOf(ctx, request)).id), api_key)
}

/**
 * The URL of a realm: its own host, PUBLIC_URL, or the IP address at which the server was reached. Never Host or
 * X-Forwarded-Host, because the sender would then choose where links and emails lead.
 */
export function realmUrl({ config }: Context, request: FastifyRequest, { host }: Pick<Realm, 'host'>): string {
  const { localAddress = '127.0.0.1', localPort } = request.socket
  const isForwarded = (request.ips?.length ?? 0) > 1
  const scheme = request.protocol === 'https' ? 'https' : 'http'
  const port = isForwarded || localPort === undefined ? '' : `:${localPort}`
  if (host === null) return config.publicUrl ?? `${scheme}://${hostOf(localAddress)}${port}`
  const url = new URL(config.publicUrl ?? `${scheme}://${hostOf(localAddress)}${port}`)
  return `${url.protocol}//${host}${url.port && `:${url.port}`}`
}

function hostOf(address: string): string {
  const plain = address.replace(/^::ffff:/, '')
  return plain.includes(':') ? `[${plain}]` : plain
}

/** Zulip's own clients expect different names for a few things. */
export function isZulipClient(request: FastifyRequest): boolean {
  return /zulip/i.test(request.headers['user-agent'] ?? '')
}

/** The name of the sending client: the parameter `client`, or the beginning of User-Agent. */
export function clientName(request: FastifyRequest): string {
  const body = request.body as RawParams | undefined
  const said = body?.client ?? (request.query as RawParams).client
  const agent = request.headers['user-agent']?.split('/')[0]?.trim()
  return (said || agent || 'Unspecified').slice(0, 30)
}
