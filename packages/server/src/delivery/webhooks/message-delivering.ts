import { serviceInterfaces } from '@parley/api/delivery/bots'
import type { WebhookPayload } from '@parley/api/delivery/webhooks'
import { transactIn } from '../../context.ts'
import { markRead } from '../../conversations/flags/mark-read.ts'
import { renderReply, sendReply } from '../../conversations/messages/send/reply.ts'
import type { Tx } from '../../events/transact.ts'
import { QueueFull } from '../../platform/fair-queue.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { type OutgoingAnswer, OutgoingFailure } from '../../platform/outgoing/safe-fetch.ts'
import {
  type Attempt,
  accessTarget,
  cancel,
  type Delivering,
  openSecrets,
  send,
  type Taken,
  unreadable,
} from './attempt.ts'
import { attemptsOf, finish, type MessageDelivery, type Result, tryLater } from './deliveries.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { payloadOf, readWebhookMessage } from './payload.ts'
import { notifyOwnerOfFailure, replyDestination } from './reply-to-message.ts'

interface MessageAttempt extends Attempt<MessageDelivery> {
  payload: WebhookPayload
}

/** Makes one attempt to deliver a message that is for the bot, and sends its answer or says why there is none. */
export async function deliverMessage(ctx: Delivering, delivery: MessageDelivery, signal: AbortSignal): Promise<void> {
  const attempt = await attemptOf(ctx, delivery)
  if (!attempt) await cancel(ctx, delivery)
  else if (!('secret' in attempt)) await giveUp(ctx, attempt, unreadable, {})
  else if (delivery.attempts > attemptsOf(delivery)) await giveUp(ctx, attempt, gaveUp, {})
  else if (attempt.form === serviceInterfaces.slack && attempt.payload.message.type === 'private')
    await giveUp(ctx, attempt, 'This bot does not support direct messages. Mention it in a channel.', {})
  else await attemptDelivery(ctx, attempt, signal)
}

const gaveUp = "The bot's endpoint could not be reached."

/** Without a secret if it cannot be read; undefined for a deactivated bot, and for a message that was deleted or that the bot may no longer read. */
async function attemptOf(
  ctx: Delivering,
  delivery: MessageDelivery,
): Promise<MessageAttempt | Taken<MessageDelivery> | undefined> {
  const target = await accessTarget(ctx, delivery)
  const message = target && (await readWebhookMessage(ctx.db, target.bot, delivery.message_id))
  if (!message) return undefined
  const { bot, service } = target
  const secrets = openSecrets(ctx, service)
  if (!secrets) return { delivery, bot }
  const trigger = delivery.trigger as WebhookPayload['trigger']
  const payload = payloadOf(bot, secrets.token, trigger, message)
  return { delivery, bot, url: service.base_url, form: service.interface, secret: secrets.secret, payload }
}

async function attemptDelivery(ctx: Delivering, attempt: MessageAttempt, signal: AbortSignal): Promise<void> {
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

async function afterFailure(
  ctx: Delivering,
  attempt: MessageAttempt,
  { again, message }: OutgoingFailure,
  timing: { duration_ms: number },
  isStopping: boolean,
): Promise<void> {
  const { delivery } = attempt
  if (!again) return giveUp(ctx, attempt, `The bot's endpoint could not be called. ${message}`, timing)
  if (!isStopping && delivery.attempts >= attemptsOf(delivery))
    return giveUp(ctx, attempt, `${gaveUp} ${message}`, timing)
  await transactIn(ctx, delivery.realm_id, (tx) => tryLater(tx, delivery, { ...timing, error: message }, isStopping))
}

/** Handles the response and records the result in the same transaction. */
async function settle(
  ctx: Delivering,
  attempt: MessageAttempt,
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

async function accept(ctx: Delivering, attempt: MessageAttempt, outcome: Outcome, result: Result): Promise<void> {
  const { delivery, bot } = attempt
  const reply = outcome.kind === 'reply' ? await renderReply(ctx, bot, outcome.reply) : undefined
  await transactIn(ctx, delivery.realm_id, async (tx) => {
    if (!(await close(tx, attempt, result)) || !reply) return
    const place = await replyDestination(tx.db, bot, delivery.message_id)
    if (!place) throw new ApiError('The conversation no longer accepts messages.')
    await sendReply(tx, bot, place, reply)
  })
}

/** Finishes a delivery, unless another process took it over, and marks the message as read for the bot. */
async function close(tx: Tx, { delivery, bot }: Taken<MessageDelivery>, result: Result): Promise<boolean> {
  if (!(await finish(tx, delivery, result))) return false
  const messages = await markRead(tx, { user_id: bot.id, ids: [delivery.message_id] })
  const flag = { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', all: false } as const
  if (messages.length > 0) tx.emit({ ...flag, messages }, { users: [bot.id] })
  return true
}

async function giveUp(
  ctx: Delivering,
  attempt: Taken<MessageDelivery>,
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
