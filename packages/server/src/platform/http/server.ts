import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RequestPayload,
} from 'fastify'
import { isConnectionError, isDiskFull } from '../db/db-errors.ts'
import { ApiError, DiskFull, ServiceUnavailable } from './api-error.ts'
import { parseForm, type RawParams, readBodies } from './body.ts'
import { refuseCrossSite, withoutChallenge } from './cross-site.ts'
import { answerMalformedRequest } from './malformed-request.ts'
import { answerNotFound } from './not-found.ts'
import { requestIds } from './request-id.ts'
import { securityHeaders } from './security-headers.ts'
import { TimedResponse } from './timed-response.ts'

const bodyLimit = 1024 * 1024

export interface ServerOptions {
  log: FastifyBaseLogger
  /** IP addresses whose X-Forwarded-* headers are trusted. */
  trustProxy: string[] | false
  /** Additional origins of our own pages, besides the host of the request. */
  publicUrl: string | undefined
  /** Sends the error as a page to clients that want one. */
  sendErrorPage: (reply: FastifyReply, error: ApiError) => FastifyReply | undefined
  /** Whether this server terminates TLS, so that browsers may remember to come by TLS only. */
  isSecure: boolean
  /** Answers requests before the framework; returns whether it does. */
  answerFirst?: AnswerFirst
}

type AnswerFirst = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>
type Handler = (request: IncomingMessage, response: ServerResponse) => void

const httpOptions = {
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2000,
  optimizeEmptyRequests: true,
  ServerResponse: TimedResponse,
} as never

/** An HTTP server that answers errors in JSON or as a page, enforces limits, and has no operations yet. */
export function createServer({
  log,
  trustProxy,
  publicUrl,
  sendErrorPage,
  isSecure,
  answerFirst,
}: ServerOptions): FastifyInstance {
  const app = Fastify({
    // A logger for each request would only cost time: see `logRequest` and `replyPayload`.
    logger: false,
    genReqId: requestIds(trustProxy !== false),
    bodyLimit,
    trustProxy,
    forceCloseConnections: 'idle',
    // While stopping, requests on open connections are still served, and the connection is then closed.
    return503OnClosing: false,
    requestTimeout: 30_000,
    rewriteUrl: withoutSecondSlash,
    // The token of a temporary URL contains the name of its file.
    routerOptions: { querystringParser: parseQuery, maxParamLength: 2000 },
    frameworkErrors: (error, _request, reply) =>
      answerError(error, (reply as FastifyReply).headers(securityHeaders), log),
    clientErrorHandler: answerMalformedRequest,
    serverFactory: (handler) => {
      const first = answerFirst ? before(handler, answerFirst) : handler
      return createHttpServer(httpOptions, isSecure ? withStrictTransport(first) : first)
    },
  })
  limitTimes(app.server)
  answerExpectations(app.server)
  readBodies(app, bodyLimit)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id)
    const { config } = request.routeOptions
    Object.assign(reply.raw as TimedResponse, { operation: config?.operation, reply })
    try {
      requireHost(request)
      if (!config?.isCrossSite) refuseCrossSite(request, publicUrl)
    } catch (error) {
      done(error as Error)
      return
    }
    done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => done(null, bodyStreamOf(request, payload)))
  answerNotFound(app)
  app.addHook('preValidation', (request, _reply, done) => done((request.query as ParsedQuery)[refused]))
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply, log, sendErrorPage))
  return app
}

/** The documented calls of Zulip's Python client begin with a slash, as in `/api/v1//users/me/status`. */
function withoutSecondSlash({ url = '' }: IncomingMessage): string {
  return url.startsWith('/api/v1//') ? url.replace(/^\/api\/v1\/+/, '/api/v1/') : url
}

/** A year, as browsers recommend. */
function withStrictTransport(handler: Handler): Handler {
  return (request, response) => {
    response.setHeader('strict-transport-security', 'max-age=31536000')
    handler(request, response)
  }
}

function before(handler: Handler, first: AnswerFirst): Handler {
  return (request, response) => {
    const isAnswered = first(request, response)
    if (isAnswered === false) handler(request, response)
    else if (isAnswered !== true) void isAnswered.then((isDone) => isDone || handler(request, response))
  }
}

/** Why the query string is invalid. The router cannot report it itself: the caller must be authenticated first. */
const refused = Symbol('refused')
type ParsedQuery = RawParams & { [refused]?: Error }

function parseQuery(text: string): ParsedQuery {
  try {
    return parseForm(text)
  } catch (error) {
    return Object.assign(Object.create(null), { [refused]: error })
  }
}

/** Node's own response would not have our headers. */
function answerExpectations(server: Server): void {
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const error = new ApiError('This Expect header is not supported.', 'BAD_REQUEST', { status: 417 })
    const headers = { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(error.status, headers).end(JSON.stringify(error.body()))
  })
}

/** Checked here instead of by Node, whose response would not have our headers. */
function requireHost({ raw }: FastifyRequest): void {
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') throw new ApiError('The Host header is missing.')
}

/** With `optimizeEmptyRequests`, Node emits no events for a body that is not announced: reading it would never end. */
function bodyStreamOf({ headers }: FastifyRequest, announced: RequestPayload): RequestPayload {
  const isAnnounced = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return isAnnounced || headers['content-type'] === undefined ? announced : Readable.from([])
}

function limitTimes(server: Server): void {
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
}

function answerError(
  error: FastifyError | Error,
  reply: FastifyReply,
  log: FastifyBaseLogger,
  sendErrorPage?: ServerOptions['sendErrorPage'],
): FastifyReply {
  // The pattern of the path, because the path itself may contain a token.
  const { id, routeOptions } = reply.request
  const answer = replyPayload(error, routeOptions.url ?? 'unknown', log, id)
  reply.code(answer.status).headers(withoutChallenge(answer.headers, reply.request.headers))
  return sendErrorPage?.(reply, answer) ?? reply.send(answer.body())
}

/** The error that the client gets. Unexpected errors are logged. */
export function replyPayload(error: Error, url: string, log: FastifyBaseLogger, request_id?: string): ApiError {
  const known = asApiError(error)
  if (!known) log.error({ err: error, request_id, url: url.split('?')[0] }, 'a request failed')
  return known ?? new ApiError('Internal server error', 'INTERNAL_SERVER_ERROR')
}

export function asApiError(error: Error & { code?: string; statusCode?: number }): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (isDiskFull(error)) return new DiskFull()
  if (isConnectionError(error)) return new ServiceUnavailable()
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('The request body is too large.', 'PAYLOAD_TOO_LARGE')
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) return new ApiError('Malformed request.')
  return undefined
}
