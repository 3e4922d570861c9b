import { findIntegration } from '@parley/integrations/registry'
import { isZulipName } from '@parley/integrations/zulip-names'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, authenticateKey } from '../../callers/authenticate.ts'
import type { Caller } from '../../callers/caller.ts'
import type { RealmState } from '../../callers/realm-state.ts'
import { type Context, transactIn } from '../../context.ts'
import { countRefused } from '../../http/serving/authorize.ts'
import type { App } from '../../http/serving/serve.ts'
import { realmOf } from '../../organization/realms/request-realm.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { refuseBrokenText } from '../../platform/http/decode.ts'
import { checkJsonShape } from '../../platform/http/json-shape.ts'
import { hookOfBot } from './actions.ts'
import { accessReceiver, receiverOf } from './hook-receiver.ts'
import { findHookOfBot } from './queries.ts'
import { limitHook } from './rates.ts'
import { type Receiver, receive } from './receive-request.ts'

/** The URLs at which other services post. They take any body: what it contains is for the integration to say. */
export function inRoutes(app: App): void {
  void app.server.register(async (server) => {
    server.removeAllContentTypeParsers()
    server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    receiveAt(app, server, '/in/:token', (state, request) =>
      accessReceiver(app.ctx, state, (request.params as { token: string }).token),
    )
    receiveAt(app, server, '/api/v1/external/:name', (state, request) => externalReceiver(app.ctx, state, request))
  })
}

type Find = (state: RealmState, request: FastifyRequest) => Promise<Receiver>

function receiveAt(app: App, server: FastifyInstance, url: string, find: Find): void {
  const { ctx } = app
  server.route({
    method: 'POST',
    url,
    config: { operation: 'receiveHook' },
    handler: async (request, reply) => {
      const state = await ctx.realms.get((await realmOf(ctx, request)).id)
      const to = await countRefused(app, request, reply, () => find(state, request))
      limitHook(`${state.realm.id} ${to.hook.id}`)
      return answer(reply, to, await receive(ctx, to, arrivedIn(request, to)))
    },
  })
}

function arrivedIn({ headers, body }: FastifyRequest, { integration: { deliveryId } }: Receiver) {
  const single = Object.entries(headers).map(([name, text]) => [name, [text].flat().join(', ')])
  const texts = Object.fromEntries(single) as Record<string, string | undefined>
  const id = deliveryId === undefined ? undefined : new Map(Object.entries(texts)).get(deliveryId)
  return { headers: texts, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), deliveryId: id }
}

function answer(reply: FastifyReply, { integration }: Receiver, { refusal }: { refusal?: ApiError | undefined }) {
  if (refusal) throw refusal
  return integration.answersOk ? reply.type('text/plain').send('ok') : { result: 'success', msg: '' }
}

/** Zulip's form: the API key of a bot, and in the URL where it posts and what. */
async function externalReceiver(ctx: Context, state: RealmState, request: FastifyRequest): Promise<Receiver> {
  const query = request.query as RawParams
  for (const [name, text] of Object.entries(query)) refuseBrokenText(name, text)
  const bot = await botOf(ctx, state, request, query)
  const { integration, isOther } = integrationFor((request.params as { name: string }).name)
  const hook =
    (await findHookOfBot(ctx.db, bot, integration)) ??
    (await transactIn(ctx, bot.realm_id, (tx) => hookOfBot(tx, bot, integration)))
  const { stream, topic } = query
  return {
    ...(await receiverOf(ctx, state, hook)),
    options: {
      ...hook.options,
      ...patternsIn(query, 'only_events'),
      ...patternsIn(query, 'exclude_events'),
    },
    channel: stream === undefined ? (hook.channel_id ?? undefined) : channelIn(unescaped(stream)),
    topic: topic === undefined ? (isOther ? undefined : (hook.topic ?? undefined)) : unescaped(topic),
  }
}

async function botOf(ctx: Context, state: RealmState, request: FastifyRequest, query: RawParams): Promise<Caller> {
  const { authorization } = request.headers
  const bot =
    authorization === undefined
      ? await authenticateKey(ctx.db, state, query.api_key ?? '')
      : await authenticate(ctx.db, state, authorization)
  if (bot.bot_type === null) throw new ApiError('Only bots receive webhooks: use the API key of a bot.')
  return bot
}

/** Names of Zulip's that we do not have are answered as JSON, so that no sender gets 404. */
function integrationFor(name: string): { integration: string; isOther: boolean } {
  if (findIntegration(name)) return { integration: name, isOther: false }
  if (isZulipName(name)) return { integration: 'json', isOther: true }
  throw new ApiError('There is no such integration.', 'NOT_FOUND')
}

/** Some senders escape the values of a URL once more. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function channelIn(stream: string): string | number {
  return /^\d{1,15}$/.test(stream) ? Number(stream) : stream
}

function patternsIn(query: RawParams, name: 'only_events' | 'exclude_events'): Record<string, string[]> {
  const text = query[name]
  if (text === undefined) return {}
  checkJsonShape(name, text)
  let patterns: unknown
  try {
    patterns = JSON.parse(text)
  } catch {
    throw new ApiError(`${name} is not valid JSON`)
  }
  if (!Array.isArray(patterns) || !patterns.every((one) => typeof one === 'string'))
    throw new ApiError(`${name} is not a list of texts`)
  return { [name]: patterns }
}
