import type { IncomingMessage, ServerResponse } from 'node:http'
import { getEvents } from '@parley/api/delivery/queues'
import { scopeOf } from '@parley/api/scopes'
import { checkAccess } from '../callers/authenticate.ts'
import type { Caller } from '../callers/caller.ts'
import { checkScope } from '../callers/credential.ts'
import type { Context } from '../context.ts'
import type { Poll } from '../delivery/queues/registry.ts'
import {
  headersOf,
  JsonReply,
  PollWaiter,
  type QueuePosition,
  sendEvents,
  type Waiter,
} from '../delivery/queues/waiter.ts'
import type { WireEvent } from '../delivery/queues/wire-events.ts'
import { touchCredential } from '../identity/sessions/stored-credentials.ts'
import { parseForm, type RawParams } from '../platform/http/body.ts'
import { withoutChallenge } from '../platform/http/cross-site.ts'
import { securityHeaders } from '../platform/http/security-headers.ts'
import { replyPayload } from '../platform/http/server.ts'
import { cachedCallerOf, confirmedCallerOf } from './serving/authorize.ts'
import { allowanceOf, quotaHeaders } from './serving/quotas.ts'
import type { App } from './serving/serve.ts'

interface PlainParams {
  queueId: string
  lastEventId: number
  waits: boolean
}

const start = '/api/v1/events?'
/** Room for a queue id and an event id, and little else. */
const longestQuery = 200
const alwaysSent = headersOf(securityHeaders)
const plainNames = new Set(['queue_id', 'last_event_id', 'dont_block'])
const requiredScope = scopeOf(getEvents)

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
  if (!params || isPipelined(response) || app.ctx.shutdown.divertsReads) return false
  const caller = cachedCallerOf(app.ctx, request)
  if (caller) return answerTo(app, params, caller, request, response)
  return confirmedCallerOf(app.ctx, request).then(
    (confirmed) => confirmed !== undefined && answerTo(app, params, confirmed, request, response),
    () => false, // the framework gets the same error and reports it
  )
}

/** Whether earlier requests on the connection have not been answered yet. */
function isPipelined({ socket }: ServerResponse): boolean {
  return socket === null
}

function answerTo(app: App, params: PlainParams, caller: Caller, request: IncomingMessage, response: ServerResponse) {
  new PlainPoll(app, params, caller, response).answer(request, caller)
  return true
}

/** A poll and its response. Everything happens at once if what it needs is in memory. */
class PlainPoll extends JsonReply implements Poll {
  readonly queueId: string
  readonly lastEventId: number
  readonly userId: number
  readonly realmId: number
  readonly #app: App
  readonly #waits: boolean
  #waiter: Waiter | undefined
  #isAnswered = false

  constructor(app: App, { queueId, lastEventId, waits }: PlainParams, caller: Caller, response: ServerResponse) {
    super(response, alwaysSent)
    this.queueId = queueId
    this.lastEventId = lastEventId
    this.userId = caller.id
    this.realmId = caller.realm_id
    this.#app = app
    this.#waits = waits
  }

  answer(request: IncomingMessage, caller: Caller): void {
    const refuse = (error: unknown) => this.#refuse(error as Error, request)
    try {
      this.#admit(request, caller)
      const found = this.#app.ctx.queues.read(this, this.#waits ? (place) => this.#wait(place) : undefined)
      if (found instanceof Promise) found.then((events) => this.#give(events)).catch(refuse)
      else this.#give(found)
    } catch (error) {
      refuse(error)
    }
  }

  #admit(request: IncomingMessage, caller: Caller): void {
    const { ctx, limits } = this.#app
    const allowance = allowanceOf(caller)
    ctx.slowClients.attribute(request.socket, allowance)
    const quota = quotaHeaders(this.#app, addressOf(ctx, request), limits.user, allowance)
    if (quota) this.headers = [...alwaysSent, ...headersOf(quota)]
    checkScope(caller.credential, requiredScope)
    checkAccess(getEvents.access, caller)
    touchCredential(ctx, caller, addressOf(ctx, request))
  }

  #wait(place: QueuePosition): Waiter {
    const { queues, metrics } = this.#app.ctx
    const waiter = new PollWaiter(place, this, [])
    this.#waiter = waiter
    this.response.on('close', () => {
      queues.leave(waiter)
      if (!this.#isAnswered) metrics.answered('getEvents', this.response.statusCode)
    })
    return waiter
  }

  #give(events: WireEvent[]): void {
    if (!this.#waiter) sendEvents(this, this.queueId, events, [])
  }

  #refuse(error: Error, { headers }: IncomingMessage): void {
    const answer = replyPayload(error, start, this.#app.ctx.log)
    this.headers = [...this.headers, ...headersOf(withoutChallenge(answer.headers, headers))]
    this.send(answer.status, JSON.stringify(answer.body()))
  }

  /** Does what others do for the responses of the framework. */
  override send(status: number, text: string, bytes?: number): void {
    const { shutdown, metrics, slowClients } = this.#app.ctx
    const { socket } = this.response
    if (shutdown.isStopping) this.response.shouldKeepAlive = false
    super.send(status, text, bytes)
    this.#isAnswered = true
    metrics.answered('getEvents', status)
    if (socket) slowClients.measure(socket)
  }
}

/** The parameters of a poll that has only the usual ones. */
function plainParams({ method, url, headers }: IncomingMessage): PlainParams | undefined {
  if (method !== 'GET' || !url!.startsWith(start) || url!.length > start.length + longestQuery) return undefined
  if (isUnusual(headers)) return undefined
  return usualParams(url!) ?? paramsOf(parseForm(url!.slice(start.length)))
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

/** What most clients send. A number with leading zeros is not JSON; the framework refuses it. */
const usual = /^\/api\/v1\/events\?queue_id=([\w-]+)&last_event_id=(-1|0|[1-9]\d{0,14})(?:&dont_block=(true|false))?$/

function usualParams(url: string): PlainParams | undefined {
  const found = usual.exec(url)
  return found ? { queueId: found[1]!, lastEventId: Number(found[2]), waits: found[3] !== 'true' } : undefined
}

function paramsOf(raw: RawParams): PlainParams | undefined {
  for (const name in raw) if (!plainNames.has(name)) return undefined
  const { queue_id: queueId, last_event_id: last = '-1', dont_block = 'false' } = raw
  if (!queueId || !/^(-1|0|[1-9]\d{0,14})$/.test(last) || !/^(true|false)$/.test(dont_block)) return undefined
  return { queueId, lastEventId: Number(last), waits: dont_block === 'false' }
}

/** Behind a proxy, the IP address of the connection says nothing about the client. */
function addressOf({ config }: Context, { socket }: IncomingMessage): string {
  return config.trustProxy ? '' : (socket.remoteAddress ?? '')
}
