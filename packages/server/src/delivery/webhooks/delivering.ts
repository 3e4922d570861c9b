import { serviceInterfaces } from '@parley/api/delivery/bots'
import type { WebhookPayload } from '@parley/api/delivery/webhooks'
import { type Caller, loadCaller } from '../../callers/caller.ts'
import { type Commits, type Context, transactIn } from '../../context.ts'
import { markRead } from '../../conversations/flags/mark-read.ts'
import { renderReply, sendReply } from '../../conversations/messages/send/reply.ts'
import type { Tx } from '../../events/transact.ts'
import { QueueFull } from '../../platform/fair-queue.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { InternalHosts } from '../../platform/outgoing/ip-addresses.ts'
import { guardedPost, type OutgoingAnswer, OutgoingFailure } from '../../platform/outgoing/safe-fetch.ts'
import { type Delivery, findService, finish, maxAttempts, type Result, takeDelivery, tryLater } from './deliveries.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { payloadOf, readWebhookMessage, slackForm } from './payload.ts'
import { notifyOwnerOfFailure, placeOf } from './reply-to-message.ts'
import { signedHeaders } from './signature.ts'

export type Delivering = Commits & Pick<Context, 'config' | 'vault' | 'realms' | 'renderer'>

interface Taken {
  delivery: Delivery
  bot: Caller
}

/** Everything that is needed for one attempt. */
interface Attempt extends Taken {
  url: string
  form: number
  secret: string
  payload: WebhookPayload
}

/** Makes the next due attempt for a bot. Returns whether there was one. */
export async function deliverNext(
  ctx: Delivering,
  realmId: number,
  botId: number,
  signal: AbortSignal,
): Promise<boolean> {
  const delivery = await takeDelivery(ctx.db, realmId, botId)
  if (!delivery) return false
  const attempt = await attemptOf(ctx, delivery)
  if (!attempt) await cancel(ctx, delivery)
  else if (!('secret' in attempt)) await giveUp(ctx, attempt, unreadable, {})
  else if (delivery.attempts > maxAttempts) await giveUp(ctx, attempt, gaveUp, {})
  else if (attempt.form === serviceInterfaces.slack && attempt.payload.message.type === 'private')
    await giveUp(ctx, attempt, 'This bot does not support direct messages. Mention it in a channel.', {})
  else await attemptDelivery(ctx, attempt, signal)
  return true
}

const unreadable =
  'The keys of this bot cannot be read: the SECRET_KEY of the server has changed. The operator can restore it; otherwise create the bot again.'
const gaveUp = "The bot's endpoint could not be reached."

/** Without a secret if it cannot be read; undefined for a deactivated bot, and for a message that was deleted or that the bot may no longer read. */
async function attemptOf(ctx: Delivering, delivery: Delivery): Promise<Attempt | Taken | undefined> {
  const bot = await loadCaller(ctx.db, await ctx.realms.get(delivery.realm_id), delivery.bot_id)
  const service = await findService(ctx.db, delivery.realm_id, delivery.bot_id)
  if (!bot?.is_active || bot.realm.deactivated || !service) return undefined
  const message = await readWebhookMessage(ctx.db, bot, delivery.message_id)
  if (!message) return undefined
  const [token, secret] = [ctx.vault.tryOpen(service.token_sealed), ctx.vault.tryOpen(service.secret_sealed)]
  if (token === undefined || secret === undefined) return { delivery, bot }
  const payload = payloadOf(bot, token, delivery.trigger, message)
  return { delivery, bot, url: service.base_url, form: service.interface, secret, payload }
}

async function cancel(ctx: Delivering, delivery: Delivery): Promise<void> {
  await transactIn(ctx, delivery.realm_id, async (tx) => {
    await finish(tx, delivery, {
      status: 'cancelled',
      error: 'The bot was deactivated, or the message was deleted, or the bot can no longer read it.',
    })
  })
}

async function attemptDelivery(ctx: Delivering, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const began = performance.now()
  const timing = () => ({ duration_ms: Math.round(performance.now() - began) })
  try {
    const answer = await send(ctx, attempt, signal)
    await settle(ctx, attempt, answer, timing())
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error
    await afterFailure(ctx, attempt, error, timing(), signal.aborted)
  }
}

function send(ctx: Delivering, attempt: Attempt, signal: AbortSignal): Promise<OutgoingAnswer> {
  const { delivery, bot, url, form, secret, payload } = attempt
  const isSlack = form === serviceInterfaces.slack
  const body = isSlack ? slackForm(bot, payload).toString() : JSON.stringify(payload)
  return guardedPost({
    url,
    body,
    headers: {
      'content-type': isSlack ? 'application/x-www-form-urlencoded' : 'application/json',
      'user-agent': 'ParleyOutgoingWebhook/1.0',
      ...signedHeaders(secret, `delivery_${delivery.id}`, new Date(), body),
    },
    internal: new InternalHosts(ctx.config.internalWebhooks),
    signal,
  })
}

async function afterFailure(
  ctx: Delivering,
  attempt: Attempt,
  { again, message }: OutgoingFailure,
  timing: { duration_ms: number },
  isStopping: boolean,
): Promise<void> {
  const { delivery } = attempt
  if (!again) return giveUp(ctx, attempt, `The bot's endpoint could not be called. ${message}`, timing)
  if (!isStopping && delivery.attempts >= maxAttempts) return giveUp(ctx, attempt, `${gaveUp} ${message}`, timing)
  await transactIn(ctx, delivery.realm_id, (tx) => tryLater(tx, delivery, { ...timing, error: message }, isStopping))
}

/** Handles the response and records the result in the same transaction. */
async function settle(
  ctx: Delivering,
  attempt: Attempt,
  answer: OutgoingAnswer,
  timing: { duration_ms: number },
): Promise<void> {
  const result = { ...timing, response_status: answer.status }
  const outcome = outcomeOf(answer, attempt.form)
  if (outcome.kind === 'failure') return giveUp(ctx, attempt, outcome.reason, result, answer)
  try {
    await accept(ctx, attempt, outcome, { status: 'delivered', ...result })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error instanceof QueueFull) throw error
    await giveUp(ctx, attempt, `The bot's reply could not be sent: ${error.message}`, result, answer)
  }
}

async function accept(ctx: Delivering, attempt: Attempt, outcome: Outcome, result: Result): Promise<void> {
  const { delivery, bot } = attempt
  const reply = outcome.kind === 'reply' ? await renderReply(ctx, bot, outcome.reply) : undefined
  await transactIn(ctx, delivery.realm_id, async (tx) => {
    if (!(await close(tx, attempt, result)) || !reply) return
    const place = await placeOf(tx.db, bot, delivery.message_id)
    if (!place) throw new ApiError('The conversation no longer accepts messages.')
    await sendReply(tx, bot, place, reply)
  })
}

/** Finishes a delivery, unless another process took it over, and marks the message as read for the bot. */
async function close(tx: Tx, { delivery, bot }: Taken, result: Result): Promise<boolean> {
  if (!(await finish(tx, delivery, result))) return false
  const messages = await markRead(tx, { user_id: bot.id, ids: [delivery.message_id] })
  const flag = { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', all: false } as const
  if (messages.length > 0) tx.emit({ ...flag, messages }, { users: [bot.id] })
  return true
}

async function giveUp(
  ctx: Delivering,
  attempt: Taken,
  reason: string,
  result: Omit<Result, 'status'>,
  answer?: OutgoingAnswer,
): Promise<void> {
  const { delivery, bot } = attempt
  await transactIn(ctx, delivery.realm_id, async (tx) => {
    if (!(await close(tx, attempt, { status: 'failed', error: reason, ...result }))) return
    await notifyOwnerOfFailure(tx, ctx, bot, delivery.message_id, reason, answer)
  })
}
