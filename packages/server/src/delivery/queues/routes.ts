import * as api from '@parley/api/delivery/queues'
import type { ParamsOf } from '@parley/api/operation'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { isZulipClient } from '../../http/serving/client-info.ts'
import { type App, held, serve, serveInTurn } from '../../http/serving/serve.ts'
import { realmUrl } from '../../organization/realms/realm-url.ts'
import { replyPayload } from '../../platform/http/server.ts'
import type { QueueHub } from './hub.ts'
import { BadEventQueueId } from './queue.ts'
import { findQueues } from './queue-store.ts'
import { endQueues, openQueue } from './registration.ts'
import type { Poll } from './registry.ts'
import {
  type Headers,
  headersOf,
  JsonReply,
  PollWaiter,
  pollAnswer,
  type QueuePosition,
  StreamWaiter,
  streamError,
  type Waiter,
} from './waiter.ts'

type EventParams = ParamsOf<typeof api.getEvents>

export function queueRoutes(app: App): void {
  serveInTurn(app, api.register, ({ ctx, user, params, request }) =>
    openQueue(ctx, user, { ...params, is_zulip_client: isZulipClient(request) }, realmUrl(ctx, request, user.realm)),
  )

  serve(app, api.getEvents, async ({ ctx, user, params, ignored, request, reply }) => {
    const queueId = params.queue_id ?? (await newQueue(app, user, params, request))
    const poll = { userId: user.id, realmId: user.realm_id, queueId, lastEventId: lastEventId(params, request) }
    if (wantsStream(request)) return answerWithStream(ctx, poll, reply)
    const waits = !params.dont_block
    const events = await ctx.queues.read(poll, waits ? (place) => hold(ctx.queues, place, reply, ignored) : undefined)
    return reply.sent ? held : pollAnswer(queueId, events, ignored)
  })

  serve(app, api.deleteQueue, async ({ ctx, user, params }) => {
    const [queue] = await findQueues(ctx.db, [params.queue_id])
    if (queue?.user_id !== user.id || queue.realm_id !== user.realm_id) throw new BadEventQueueId(params.queue_id)
    if ((await endQueues(ctx, user.realm_id, [queue.id])) === 0) throw new BadEventQueueId(params.queue_id)
    return {}
  })
}

/** Registers a queue for a `GET /events` without `queue_id`. The response does not include the state. */
async function newQueue({ ctx }: App, user: Caller, params: EventParams, request: FastifyRequest): Promise<string> {
  const registerParams = { ...params, fetch_event_types: [], is_zulip_client: isZulipClient(request) }
  return (await openQueue(ctx, user, registerParams, realmUrl(ctx, request, user.realm))).queue_id
}

/** An EventSource that reconnects sends its last event id in a header. */
function lastEventId(params: EventParams, request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id']
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : params.last_event_id
}

function wantsStream(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/event-stream') ?? false
}

/** Keeps the connection open. From here on, the waiter sends the response. */
function hold(queues: QueueHub, place: QueuePosition, reply: FastifyReply, ignored: string[]): Waiter {
  const waiter = new PollWaiter(place, new JsonReply(reply.raw, takeOver(reply)), ignored)
  reply.raw.on('close', () => queues.leave(waiter))
  return waiter
}

function takeOver(reply: FastifyReply): Headers {
  const headers = headersOf(reply.getHeaders())
  reply.hijack()
  return headers
}

/** Sends the events there are, then waits for more until the client disconnects. */
async function answerWithStream({ queues, log }: Context, poll: Poll, reply: FastifyReply): Promise<typeof held> {
  const place = await queues.place(poll)
  queues.checkMayWait(place)
  const waiter = new StreamWaiter(place, reply.raw, takeOver(reply))
  reply.raw.on('close', () => queues.leave(waiter))
  await catchUp(queues, waiter).catch((error: Error) => {
    if (waiter.isOpen) reply.raw.end(streamError(replyPayload(error, reply.request.routeOptions.url!, log)))
  })
  return held
}

/** Sends earlier events only as fast as the client reads. */
async function catchUp(queues: QueueHub, waiter: StreamWaiter): Promise<void> {
  while (waiter.isOpen) {
    const events = await queues.resume(waiter)
    if (events.length === 0) return
    waiter.last = events.at(-1)!.id
    await waiter.catchUp(events)
  }
}
