import { type ActionForm, actionForm, actionsWidget } from '@parley/api/conversations/action-widgets'
import { type MessageWidget, messageWidget } from '@parley/api/conversations/widgets'
import { maxMessageLength } from '@parley/api/message-limits'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Caller, queueOwner } from '../../../callers/caller.ts'
import { FairQueue } from '../../../platform/fair-queue.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { checkJsonShape } from '../../../platform/http/json-shape.ts'
import { InternalHosts } from '../../../platform/outgoing/ip-addresses.ts'
import { guardedPost, OutgoingFailure } from '../../../platform/outgoing/safe-fetch.ts'
import { accessTarget, type Delivering, openSecrets, unreadable } from '../attempt.ts'
import { wellFormed } from '../outcome.ts'
import { signedHeaders } from '../signature.ts'

/** The user waits for the answer. */
const budgetMilliseconds = 3000

const text = Type.String({ maxLength: maxMessageLength })
const answer = Type.Object({
  response_type: Type.Optional(Type.Enum(['ephemeral', 'in_channel'])),
  text: Type.Optional(text),
  content: Type.Optional(text),
  widget_content: Type.Optional(messageWidget),
  update: Type.Optional(
    Type.Object({
      content: Type.Optional(text),
      rows: Type.Optional(actionsWidget.properties.extra_data.properties.rows),
    }),
  ),
  form: Type.Optional(actionForm),
})
const isAnswer = Compile(answer)

/** What the endpoint wants to happen. */
export interface EndpointAnswer {
  text: string
  isEphemeral: boolean
  widget?: MessageWidget
  update?: { content?: string; rows?: unknown[] }
  form?: ActionForm
}

export class BotNotReached extends ApiError {
  constructor(reason: string) {
    super(`The bot did not answer. ${reason}`, 'BOT_NOT_REACHED')
  }
}

export interface Called {
  bot: Caller
  answer: EndpointAnswer
}

type Payload = (bot: Caller, token: string, form: number) => Promise<object | URLSearchParams>

/** Calls that wait at once: an endpoint that is slow must not take the connections of the others. */
const calls = new FairQueue({ concurrency: 50, concurrencyPerOwner: 5, waitingPerOwner: 20, waitingInTotal: 500 })

/** Of one bot, for all users together. */
const callsOfBot = new FairQueue({
  concurrency: Infinity,
  concurrencyPerOwner: 10,
  waitingPerOwner: 50,
  waitingInTotal: 5000,
})

/** Calls the endpoint of a bot while the user waits. `payloadOf` checks again what may have changed while the call waited. */
export function callEndpoint(ctx: Delivering, user: Caller, botId: number, payloadOf: Payload): Promise<Called> {
  return callsOfBot.run(`${user.realm_id} ${botId}`, () =>
    calls.run(queueOwner(user), () => call(ctx, user, botId, payloadOf)),
  )
}

async function call(ctx: Delivering, user: Caller, botId: number, payloadOf: Payload): Promise<Called> {
  const target = await accessTarget(ctx, { realm_id: user.realm_id, bot_id: botId })
  if (!target) throw new BotNotReached('It is not active.')
  const { bot, service } = target
  const secrets = openSecrets(ctx, service)
  if (!secrets) throw new BotNotReached(unreadable)
  const payload = await payloadOf(bot, secrets.token, service.interface)
  const isForm = payload instanceof URLSearchParams
  const body = isForm ? payload.toString() : JSON.stringify(payload)
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  return { bot, answer: await post(ctx, service.base_url, { body, type, secret: secrets.secret }) }
}

async function post(
  ctx: Delivering,
  url: string,
  { body, type, secret }: { body: string; type: string; secret: string },
): Promise<EndpointAnswer> {
  const id = `interaction_${crypto.randomUUID()}`
  try {
    const { status, body: answered } = await guardedPost({
      url,
      body,
      headers: {
        'content-type': type,
        'user-agent': 'ParleyOutgoingWebhook/1.0',
        ...signedHeaders(secret, id, new Date(), body),
      },
      internal: new InternalHosts(ctx.config.internalWebhooks),
      timeoutMilliseconds: budgetMilliseconds,
    })
    if (status < 200 || status > 299) throw new BotNotReached(`Its endpoint answered with status ${status}.`)
    return answerOf(answered)
  } catch (error) {
    if (error instanceof OutgoingFailure) throw new BotNotReached(error.message)
    throw error
  }
}

function answerOf(body: string): EndpointAnswer {
  if (body.trim() === '') return { text: '', isEphemeral: true }
  const parsed = parse(body)
  if (!isAnswer.Check(parsed))
    throw new BotNotReached('Its answer has another form than described in docs/webhooks.md.')
  const { response_type, text: slackText, content, widget_content: widget, ...more } = wellFormed(parsed)
  return {
    text: content ?? slackText ?? '',
    isEphemeral: response_type !== 'in_channel',
    ...(widget && { widget }),
    ...more,
  }
}

function parse(body: string): unknown {
  try {
    checkJsonShape('The answer', body)
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
