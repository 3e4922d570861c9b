import type { HookOptions, Outcome } from '@parley/integrations/handle'
import type { Integration } from '@parley/integrations/integration'
import { isSigned } from '@parley/integrations/signatures'
import type { Caller } from '../../callers/caller.ts'
import type { Context } from '../../context.ts'
import { QueueFull } from '../../platform/fair-queue.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { checkJsonShape } from '../../platform/http/json-shape.ts'
import { handleInWorker } from './handle-in-worker.ts'
import { post } from './post-message.ts'
import { reportProblem, reportSolved } from './problems.ts'
import type { HookRow } from './queries.ts'
import { type Arrived, isRepeated, type Result, recordRequest } from './request-log.ts'

/** A hook with the bot that posts for it. */
export interface Receiver {
  hook: HookRow
  bot: Caller
  integration: Integration
  options: HookOptions
  /** By name or id; undefined: direct messages to the owner of the bot. */
  channel: string | number | undefined
  /** Replaces the topic of the integration. */
  topic: string | undefined
}

interface Received extends Result {
  /** What the sender is answered instead of success. */
  refusal?: ApiError | undefined
}

interface Ways {
  /** What the owner repeats is neither checked for a signature, which the log does not keep, nor refused as repeated. */
  isReplay?: boolean
  /** Put before the text. */
  mark?: string
}

/** Makes a message of a request, and adds the request to the log of the hook, whatever came of it. */
export async function receive(ctx: Context, to: Receiver, arrived: Arrived, ways: Ways = {}): Promise<Received> {
  const received = await resultOf(ctx, to, arrived, ways).catch((error: unknown) => failed(ctx, error))
  await recordRequest(ctx.db, to.hook, arrived, received)
  return received
}

function failed({ log }: Context, error: unknown): Received {
  const refusal = error instanceof ApiError ? error : new ApiError('Internal server error', 'INTERNAL_SERVER_ERROR')
  if (refusal !== error) log.error({ err: error }, 'a request to a hook failed')
  return { outcome: error instanceof ApiError ? 'refused' : 'failed', error: refusal.message, refusal }
}

async function resultOf(ctx: Context, to: Receiver, arrived: Arrived, ways: Ways): Promise<Received> {
  if (!ways.isReplay) {
    checkSignature(ctx, to, arrived)
    if (!to.hook.is_enabled) return { outcome: 'ignored', error: 'The hook is turned off.' }
    if (arrived.deliveryId !== undefined && (await isRepeated(ctx.db, to.hook, arrived.deliveryId)))
      return { outcome: 'repeated', error: 'The sender has sent this request before.' }
  }
  const shape = checkShape(to.integration, arrived.body)
  const outcome = shape ?? (await handle(to, arrived))
  return outcome.kind === 'message' ? deliver(ctx, to, outcome, ways) : withoutMessage(to.integration, outcome)
}

function checkSignature({ vault }: Context, { hook, integration }: Receiver, { headers, body }: Arrived): void {
  if (!hook.secret_sealed || !integration.signature) return
  const secret = vault.tryOpen(hook.secret_sealed)
  if (secret === undefined || !isSigned(integration.signature, secret, headers, body))
    throw new ApiError('The signature of the request does not fit the secret of the hook.', 'UNAUTHORIZED')
}

const deepestJson = 64
const mostFields = 50_000

function checkShape({ body: kind }: Integration, body: Buffer): Outcome | undefined {
  if (kind === 'text') return undefined
  try {
    checkJsonShape('The body', body.toString('utf8'), { depth: deepestJson, fields: mostFields })
    return undefined
  } catch (error) {
    return { kind: 'malformed', reason: (error as Error).message }
  }
}

function handle({ hook, integration, options }: Receiver, { headers, body }: Arrived): Promise<Outcome> {
  const request = { headers, body: body.toString('utf8') }
  return handleInWorker(`hook ${hook.id}`, { integration: integration.name, request, options })
}

async function deliver(
  ctx: Context,
  to: Receiver,
  { event, topic, text, note, ...keys }: Extract<Outcome, { kind: 'message' }>,
  { mark = '' }: Ways,
): Promise<Received> {
  const { bot, integration, channel } = to
  const isDirect = channel === undefined
  try {
    const request = {
      type: isDirect ? 'direct' : 'channel',
      to: isDirect ? [bot.bot_owner_id ?? bot.id] : channel,
      topic: to.topic ?? (topic || integration.title),
      content: mark + text,
      client: integration.title.slice(0, 30),
      readBySender: false,
    }
    const posted = await post(ctx, {
      hook: to.hook,
      bot,
      request,
      keys: mark ? {} : keys,
      resolves: to.topic === undefined,
    })
    await reportSolved(ctx, to.hook)
    return { ...posted, event, error: note }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error instanceof QueueFull) throw error
    await reportProblem(ctx, to.hook, bot, error.message)
    return { outcome: 'undeliverable', event, error: error.message }
  }
}

function withoutMessage({ name, title }: Integration, outcome: Exclude<Outcome, { kind: 'message' }>): Received {
  switch (outcome.kind) {
    case 'ignored':
      return { outcome: 'ignored', event: outcome.event, error: outcome.reason }
    case 'malformed':
      return {
        outcome: 'malformed',
        error: outcome.reason,
        refusal: new ApiError(
          `Unable to parse the request: did ${title} send it? ${outcome.reason}`,
          'ANOMALOUS_WEBHOOK_PAYLOAD',
        ),
      }
    case 'missing_header': {
      const error = `Missing the HTTP event header '${outcome.header}'`
      return { outcome: 'malformed', error, refusal: new ApiError(error, 'MISSING_HTTP_EVENT_HEADER') }
    }
    case 'unsupported': {
      const error = `The '${outcome.event}' event isn't currently supported by the ${title} webhook; ignoring`
      const fields = { webhook_name: name, event_type: outcome.event }
      const refusal = new ApiError(error, 'UNSUPPORTED_WEBHOOK_EVENT_TYPE', { fields })
      return { outcome: 'unsupported', event: outcome.event, error, refusal }
    }
  }
}
