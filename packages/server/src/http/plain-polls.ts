import type { IncomingMessage, ServerResponse } from 'node:http'
import { getEvents } from '@parley/api/queues'
import { scopeOf } from '@parley/api/scopes'
import type { Context } from '../context.ts'
import { parseForm, type RawParams } from '../platform/http/body.ts'
import { withoutChallenge } from '../platform/http/cross-site.ts'
import { securityHeaders } from '../platform/http/security-headers.ts'
import { replyPayload } from '../platform/http/server.ts'
import type { Poll } from '../queues/hub.ts'
import { headersOf, type Place, PollWaiter, pollAnswer, sendJson, type Waiter } from '../queues/waiter.ts'
import { touchCredential } from '../sign-in/stored-credentials.ts'
import { checkAccess } from '../users/authenticate.ts'
import type { Caller } from '../users/caller.ts'
import { checkScope } from '../users/credential.ts'
import { cachedCallerOf, confirmedCallerOf } from './authorize.ts'
import { allowanceOf, quotaHeaders } from './quotas.ts'
import type { App } from './serve.ts'

interface PlainParams {
  queueId: string
  lastEventId: number
  waits: boolean
}

interface PlainPoll extends PlainParams, Poll {
  lastEventId: number
  caller: Caller
}

const start = '/api/v1/events?'
/** Room for a queue id and an event id, and little else. */
const longestQuery = 200
const alwaysSent = headersOf(securityHeaders)
const plainNames = new Set(['queue_id', 'last_event_id', 'dont_block'])

/**
 * Answers polls without the framework if they are plain and the caller is cached. They are most of the requests of a
 * server, and while they wait they cost little more than the connection. Everything else goes to the framework, which
 * gives the same response.
 */
export function answerPlainPoll(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
): boolean | Promise<boolean> {
  const params = plainParams(request)
  if (!params || app.ctx.shutdown.divertsReads) return false
  const caller = cachedCallerOf(app.ctx, request)
  if (caller) return answerTo(app, params, caller, request, response)
  return confirmedCallerOf(app.ctx, request).then(
    (confirmed) => confirmed !== undefined && answerTo(app, params, confirmed, request, response),
    () => false, // the framework gets the same error and reports it
  )
}

function answerTo(app: App, params: PlainParams, caller: Caller, request: IncomingMessage, response: ServerResponse) {
  const poll = { ...params, caller, userId: caller.id, realmId: caller.realm_id }
  void answer(app, poll, request, response)
  return true
}

async function answer(app: App, poll: PlainPoll, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { queues, metrics, log } = app.ctx
  let headers = alwaysSent
  let waiter: Waiter | undefined
  response.on('close', () => {
    if (waiter) queues.leave(waiter)
    metrics.answered('getEvents', response.statusCode)
  })
  try {
    const allowance = allowanceOf(poll.caller)
    app.ctx.slowClients.attribute(request.socket, allowance)
    headers = [...headers, ...headersOf(quotaHeaders(app, addressOf(app.ctx, request), app.limits.user, allowance))]
    checkScope(poll.caller.credential, scopeOf(getEvents))
    checkAccess(getEvents.access, poll.caller)
    touchCredential(app.ctx, poll.caller, addressOf(app.ctx, request))
    const hold = poll.waits ? (place: Place) => (waiter = new PollWaiter(place, response, headers, [])) : undefined
    const events = await queues.read(poll, hold)
    if (!waiter) sendJson(response, 200, headers, pollAnswer(poll.queueId, events, []))
  } catch (error) {
    const reply = replyPayload(error as Error, start, log)
    sendJson(
      response,
      reply.status,
      [...headers, ...headersOf(withoutChallenge(reply.headers, request.headers))],
      JSON.stringify(reply.body()),
    )
  }
}

/** The parameters of a poll that has only the usual ones. */
function plainParams({ method, url, headers }: IncomingMessage): PlainParams | undefined {
  if (method !== 'GET' || !url!.startsWith(start) || url!.length > start.length + longestQuery) return undefined
  return isUnusual(headers) ? undefined : paramsOf(parseForm(url!.slice(start.length)))
}

/** A body, or a request for another content type. */
function isUnusual(headers: IncomingMessage['headers']): boolean {
  return (
    headers['content-length'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    headers['last-event-id'] !== undefined ||
    headers.accept?.includes('text/event-stream') === true
  )
}

function paramsOf(raw: RawParams): PlainParams | undefined {
  for (const name in raw) if (!plainNames.has(name)) return undefined
  const { queue_id: queueId, last_event_id: last = '-1', dont_block = 'false' } = raw
  if (!queueId || !/^(-1|\d{1,15})$/.test(last) || !/^(true|false)$/.test(dont_block)) return undefined
  return { queueId, lastEventId: Number(last), waits: dont_block === 'false' }
}

/** Behind a proxy, the IP address of the connection says nothing about the client. */
function addressOf({ config }: Context, { socket }: IncomingMessage): string {
  return config.trustProxy ? '' : (socket.remoteAddress ?? '')
}
