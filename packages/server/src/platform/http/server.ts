import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { isConnectionTrouble } from '../db/db-errors.ts'
import { ApiError, ServiceUnavailable } from './api-error.ts'
import { parseForm, type RawParams, readBodies } from './body.ts'
import { refuseCrossSite, withoutChallenge } from './cross-site.ts'
import { answerMalformedRequest } from './malformed-request.ts'
import { answerNotFound } from './not-found.ts'
import { securityHeaders } from './security-headers.ts'

const bodyLimit = 1024 * 1024

export interface ServerOptions {
  log: FastifyBaseLogger
  /** Addresses whose X-Forwarded-* headers are believed. */
  trustProxy: string[] | false
  /** Where pages of our own may come from, beside the host that a request names. */
  publicUrl: string | undefined
}

/** An HTTP server that answers in JSON whatever happens, within limits, and knows no operation yet. */
export function createServer({ log, trustProxy, publicUrl }: ServerOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    // A line per request costs a third of the throughput: requests are counted instead, see metrics.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    bodyLimit,
    trustProxy,
    forceCloseConnections: 'idle',
    // While stopping, what still comes in on an open connection is served, and the connection then closed.
    return503OnClosing: false,
    requestTimeout: 30_000,
    routerOptions: { querystringParser: parseQuery, maxParamLength: 500 },
    frameworkErrors: (error, _request, reply) =>
      answerError(error, (reply as FastifyReply).headers(securityHeaders), log),
    clientErrorHandler: answerMalformedRequest,
    http: {
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2000,
    } as never,
  })
  limitTimes(app.server)
  answerExpectations(app.server)
  readBodies(app, bodyLimit)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders)
    try {
      requireHost(request)
      refuseCrossSite(request, publicUrl)
    } catch (error) {
      done(error as Error)
      return
    }
    done()
  })
  answerNotFound(app)
  app.addHook('preValidation', (request, _reply, done) => done((request.query as ParsedQuery)[refused]))
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply, log))
  return app
}

/** Lets `first` answer what it can before the framework sees it. */
export function answerFirst(
  { server }: FastifyInstance,
  first: (request: IncomingMessage, response: ServerResponse) => boolean,
): void {
  const [framework] = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request, response) => first(request, response) || framework!(request, response))
}

/** Why a query cannot be read. The router cannot say it: it is told once the caller is known. */
const refused = Symbol('refused')
type ParsedQuery = RawParams & { [refused]?: Error }

function parseQuery(text: string): ParsedQuery {
  try {
    return parseForm(text)
  } catch (error) {
    return Object.assign(Object.create(null), { [refused]: error })
  }
}

/** Node would answer by itself, without our headers. */
function answerExpectations(server: Server): void {
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const error = new ApiError('This expectation cannot be met.', 'BAD_REQUEST', { status: 417 })
    const headers = { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(error.status, headers).end(JSON.stringify(error.body()))
  })
}

/** Checked here instead of by Node, whose response would not have our headers. */
function requireHost({ raw }: FastifyRequest): void {
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') throw new ApiError('The Host header is missing.')
}

function limitTimes(server: Server): void {
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  server.keepAliveTimeout = 75_000
}

function answerError(error: FastifyError | Error, reply: FastifyReply, log: FastifyBaseLogger): FastifyReply {
  const answer = replyPayload(error, reply.request.url, log)
  const headers = withoutChallenge(answer.headers, reply.request.headers)
  return reply.code(answer.status).headers(headers).send(answer.body())
}

/** What the client is told of an error. One that is nobody's fault but ours is written down. */
export function replyPayload(error: Error, url: string, log: FastifyBaseLogger): ApiError {
  const known = asApiError(error)
  if (!known) log.error({ err: error, url: url.split('?')[0] }, 'a request failed')
  return known ?? new ApiError('Internal server error', 'INTERNAL_SERVER_ERROR')
}

export function asApiError(error: Error & { code?: string; statusCode?: number }): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (isConnectionTrouble(error)) return new ServiceUnavailable()
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('The request body is too large.', 'PAYLOAD_TOO_LARGE')
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) return new ApiError('Malformed request.')
  return undefined
}
