import { endCurrentSession } from '@parley/api/identity/sessions'
import { lookup } from '@parley/api/lookup'
import type { Operation, ParamsOf, PathOf, ResponseOf } from '@parley/api/operation'
import { updateOwnServer } from '@parley/api/organization/server-settings'
import { updatePresence } from '@parley/api/people/presence'
import { scopeOf, takesIdempotencyKey } from '@parley/api/scopes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TProperties } from 'typebox'
import { type Caller, queueOwner } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { decoderOf, refuseBrokenText } from '../../platform/http/decode.ts'
import { bodyOf } from '../../platform/http/envelope.ts'
import { dropUpload } from '../../platform/http/upload.ts'
import { authorize, confirmCaller, mayBeRevoked } from './authorize.ts'
import { applyOnce, idempotencyKeyOf, type KeyedRequest } from './idempotency.ts'
import type { Limited } from './quotas.ts'

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
  /** Use this one, not that of the server: it knows the Idempotency-Key of the request. */
  ctx: Context
}

/** Returned by a handler that keeps the connection and will respond by itself. */
export const held = Symbol('held')

/** Returns the fields of the response, or the whole response as text, which is sent unchanged. */
export type Handler<O extends Operation> = (
  call: Call<O>,
) => Promise<ResponseOf<O> | string | typeof held> | ResponseOf<O>

export interface App extends Limited {
  server: FastifyInstance
}

const base = '/api/v1'
const json = 'application/json; charset=utf-8'

/** Serves an expensive operation that needs credentials: callers take turns in a fair queue. */
export function serveInTurn<Path extends TProperties, Params extends TProperties, Response extends TProperties>(
  app: App,
  operation: Operation<Path, Params, Response>,
  handler: Handler<Operation<Path, Params, Response>>,
): void {
  const gate = gateOf(operation as Operation)
  serve(app, operation, (call) =>
    app.ctx.heavyRequests.run(queueOwner(call.request.caller!), async () => {
      const user = await confirmCaller(app, gate, call.request)
      return handler({ ...call, user: user as typeof call.user })
    }),
  )
}

function gateOf(operation: Operation) {
  return { ...operation, scope: scopeOf(operation) }
}

/**
 * Serves an operation that is one small act of a user: its handler returns the result of `actIn`. An Idempotency-Key is
 * recorded in the transaction of the act, together with the response.
 */
export function serveAct<Path extends TProperties, Params extends TProperties, Response extends TProperties>(
  app: App,
  operation: Operation<Path, Params, Response>,
  handler: Handler<Operation<Path, Params, Response>>,
): void {
  serve(app, operation, handler, true)
}

/** Registers the route of an operation: limits, authentication, gate, parameters, handler, envelope. */
export function serve<Path extends TProperties, Params extends TProperties, Response extends TProperties>(
  app: App,
  operation: Operation<Path, Params, Response>,
  handler: Handler<Operation<Path, Params, Response>>,
  isAct = false,
): void {
  const decode = decoderOf(operation as Operation)
  const gate = gateOf(operation as Operation)
  const authorizeCaller = authorize(app, gate)
  const takesKey = takesIdempotencyKey(operation as Operation)
  const worksInMaintenance = changesNothing(operation as Operation)
  for (const path of [operation.path, ...(operation.aliases ?? [])]) {
    app.server.route({
      method: operation.method,
      url: base + routePattern(path, operation.pathParams),
      config: { operation: operation.name, fileLimit: operation.fileLimit, worksInMaintenance },
      exposeHeadRoute: operation.method === 'GET',
      onRequest: authorizeCaller,
      handler: async (request, reply) => {
        if (mayBeRevoked(app, request)) await confirmCaller(app, gate, request)
        const { params, ignored } = decode(request.body as RawParams | undefined, request.query as RawParams)
        const call = {
          path: pathOf(operation.pathParams, request),
          params,
          user: request.caller,
          ignored,
          request,
          reply,
          ctx: app.ctx,
        }
        const key = takesKey ? idempotencyKeyOf(request) : undefined
        if (key !== undefined) return sendOnce(call, { key, isAct }, async (ctx) => handler({ ...call, ctx } as never))
        const answer = await handler(call as never)
        if (request.upload) await dropUpload(request)
        if (answer === held) return undefined
        const body = typeof answer === 'string' ? answer : await bodyOf(enveloped(answer, ignored), request, reply)
        return reply.type(json).send(body)
      },
    })
  }
}

const harmless = new Set<unknown>([endCurrentSession, updatePresence, updateOwnServer])

/** Nothing that is worth keeping: who is signed in and who is there, and what ends the maintenance. */
function changesNothing(operation: Operation): boolean {
  return scopeOf(operation) === 'read' || operation.isSignIn === true || harmless.has(operation)
}

type KeyedCall = Pick<Call<Operation>, 'request' | 'reply' | 'ignored' | 'ctx'> & { user?: Caller | undefined }

/** Sends the response of a request with an Idempotency-Key, or the stored one if the request is a repeated one. */
async function sendOnce(
  { ctx, user, request, reply, ignored }: KeyedCall,
  { key, isAct }: Pick<KeyedRequest, 'key' | 'isAct'>,
  handle: (ctx: Context) => Promise<object | string | symbol>,
): Promise<FastifyReply> {
  const bodyOf = (answer: object) => envelope(answer, ignored)
  const keyed = { key, isAct, request, bodyOf, caller: user! }
  const { status, body } = await applyOnce(ctx, keyed, async (claim) => {
    const answer = await handle({ ...ctx, claim })
    return claim.body ?? (typeof answer === 'string' ? answer : bodyOf(answer as object))
  })
  return reply.code(status).type(json).send(body)
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

type PathPart = { type?: string; maxLength?: number; 'x-rest'?: boolean }

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
    const { type, maxLength = Infinity } = lookup(pathParams, name) as PathPart
    if (text.length > maxLength) throw new ApiError(`${name} is too long (limit: ${maxLength} characters)`)
    return [name, type === 'integer' ? Number(text) : text]
  })
  return Object.fromEntries(parts)
}

function restName(pathParams: TProperties): string {
  return Object.keys(pathParams).find((name) => (lookup(pathParams, name) as PathPart)['x-rest'])!
}
