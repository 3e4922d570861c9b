import type { WebhookEvent, WebhookPayload } from '@parley/api/delivery/webhooks'
import type { Caller } from '../../callers/caller.ts'
import { transactIn } from '../../context.ts'
import { canReadContent, canSeeChannel, findChannel } from '../../conversations/channels/access.ts'
import { checkPosting } from '../../conversations/channels/posting-access.ts'
import { accessibleMessages } from '../../conversations/messages/model/access.ts'
import { type RenderedReply, renderReply, sendReply } from '../../conversations/messages/send/reply.ts'
import { knownUrlOf } from '../../organization/realms/hosts.ts'
import { findUsers } from '../../people/users/find-users.ts'
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
import { attemptsOf, type Delivery, finish, type Result, tryLater } from './deliveries.ts'
import { outcomeOf } from './outcome.ts'
import { recordFailure, recordSuccess } from './pausing.ts'
import { payloadOf, readWebhookMessage } from './payload.ts'
import { replyDestination } from './reply-to-message.ts'

interface EventAttempt extends Attempt<Delivery> {
  payload: WebhookPayload | WebhookEvent
}

/** Makes one attempt to deliver an event of the log. Failures are retried for a day, without a word in the conversation. */
export async function deliverEvent(ctx: Delivering, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const attempt = await attemptOf(ctx, delivery)
  if (!attempt) await cancel(ctx, delivery)
  else if (!('secret' in attempt)) await fail(ctx, attempt, { error: unreadable }, false)
  else if (delivery.attempts > attemptsOf(delivery)) await fail(ctx, attempt, { error: 'No attempt succeeded.' }, false)
  else await attemptDelivery(ctx, attempt, signal)
}

/** Without a secret if it cannot be read; undefined if the bot was deactivated or may no longer read what the event is about. */
async function attemptOf(ctx: Delivering, delivery: Delivery): Promise<EventAttempt | Taken<Delivery> | undefined> {
  const target = await accessTarget(ctx, delivery)
  if (!target || !(await mayRead(ctx, target.bot, delivery))) return undefined
  const { bot, service } = target
  const secrets = openSecrets(ctx, service)
  if (!secrets) return { delivery, bot }
  const payload = await payloadFor(ctx, bot, delivery, secrets.token)
  return payload && { delivery, bot, url: service.base_url, form: service.interface, secret: secrets.secret, payload }
}

async function mayRead({ db }: Delivering, bot: Caller, delivery: Delivery): Promise<boolean> {
  const { message_id, channel_id, trigger } = delivery
  if (message_id !== null) return (await accessibleMessages(db, bot, [message_id])).length > 0
  if (channel_id === null) return true
  const channel = await findChannel(db, bot, channel_id)
  if (!channel) return false
  return trigger === 'channel_created' ? canSeeChannel(db, bot, channel) : canReadContent(db, bot, channel)
}

async function payloadFor(ctx: Delivering, bot: Caller, delivery: Delivery, token: string) {
  const { event, trigger, message_id } = delivery
  if (event !== null)
    return {
      type: trigger as WebhookEvent['type'],
      event: JSON.parse(event) as object,
      realm_url: knownUrlOf(ctx.config, bot.realm) ?? null,
      bot_email: bot.email,
      token,
    }
  const message = await readWebhookMessage(ctx.db, bot, message_id!)
  return message && payloadOf(bot, token, trigger as WebhookPayload['trigger'], message)
}

async function attemptDelivery(ctx: Delivering, attempt: EventAttempt, signal: AbortSignal): Promise<void> {
  const began = performance.now()
  const timing = () => ({ duration_ms: Math.round(performance.now() - began) })
  try {
    const answer = await send(ctx, attempt, signal)
    await settle(ctx, attempt, answer, { ...timing(), response_status: answer.status })
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error
    await fail(ctx, attempt, { ...timing(), error: error.message }, error.again, { isStopping: signal.aborted })
  }
}

type Details = Omit<Result, 'status'>
const tooManyRequests = 429

async function settle(ctx: Delivering, attempt: EventAttempt, answer: OutgoingAnswer, details: Details): Promise<void> {
  const { status, retryAfterSeconds } = answer
  if (status >= 200 && status <= 299) return succeed(ctx, attempt, answer, details)
  const again = status === tooManyRequests || status >= 500
  await fail(ctx, attempt, { ...details, error: `The endpoint answered with status ${status}.` }, again, {
    retryAfterSeconds,
  })
}

async function succeed(ctx: Delivering, attempt: EventAttempt, answer: OutgoingAnswer, details: Details) {
  const { error, reply } = await replyOf(ctx, attempt, answer)
  const { delivery, bot } = attempt
  const delivered = { ...details, status: 'delivered', ...(error && { error }) } as const
  await transactIn(ctx, delivery.realm_id, async (tx) => {
    if (!(await finish(tx, delivery, delivered))) return
    await recordSuccess(tx, bot.id)
    const place = reply && (await replyDestination(tx.db, bot, delivery.message_id!))
    if (place) await sendReply(tx, bot, place, reply)
  })
}

/** What the endpoint answers to a message. Answers to messages of bots are ignored: two bots would never stop. */
async function replyOf(
  ctx: Delivering,
  { bot, form, payload }: EventAttempt,
  answer: OutgoingAnswer,
): Promise<{ error?: string; reply?: RenderedReply }> {
  if (!('message' in payload)) return {}
  const outcome = outcomeOf(answer, form)
  if (outcome.kind === 'failure') return { error: outcome.reason }
  const [sender] = await findUsers(ctx.db, bot.state, [payload.message.sender_id])
  if (outcome.kind === 'nothing' || sender?.bot_type !== null) return {}
  try {
    const place = await replyDestination(ctx.db, bot, payload.message.id)
    if (place?.kind === 'channel') await checkPosting(ctx.db, bot, place.channel)
    return { reply: await renderReply(ctx, bot, outcome.reply) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { error: `The reply could not be sent: ${error.message}` }
  }
}

async function fail(
  ctx: Delivering,
  { delivery, bot }: Taken<Delivery>,
  details: Details,
  again: boolean,
  { isStopping = false, retryAfterSeconds = 0 }: { isStopping?: boolean; retryAfterSeconds?: number | undefined } = {},
): Promise<void> {
  await transactIn(ctx, delivery.realm_id, async (tx) => {
    if (isStopping || (again && delivery.attempts < attemptsOf(delivery)))
      await tryLater(tx, delivery, details, isStopping, retryAfterSeconds)
    else await finish(tx, delivery, { status: 'failed', ...details })
    if (!isStopping) await recordFailure(tx, ctx, bot)
  })
}
