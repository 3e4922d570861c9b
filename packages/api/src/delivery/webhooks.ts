import { type Static, Type } from 'typebox'
import { id, nullable } from '../common.ts'
import { message } from '../conversations/messages.ts'
import { operation, withDefault } from '../operation.ts'
import { eventTriggers, messageTriggers, personalTriggers, triggers } from './webhook-triggers.ts'

const { flags: _flags, match_content: _content, match_subject: _subject, ...listed } = message.properties

/** A message in the payload of an outgoing webhook, as Markdown and as HTML. */
export const webhookMessage = Type.Object({ ...listed, rendered_content: Type.String() })
export type WebhookMessage = Static<typeof webhookMessage>

export const webhookPayload = Type.Object({
  bot_email: Type.String(),
  bot_full_name: Type.String(),
  data: Type.String(),
  trigger: Type.Enum([...personalTriggers, ...messageTriggers]),
  token: Type.String(),
  message: webhookMessage,
})
export type WebhookPayload = Static<typeof webhookPayload>

/** The payload about another event than a message. */
export const webhookEvent = Type.Object({
  type: Type.Enum([...eventTriggers]),
  /** As in an event queue of the bot. */
  event: Type.Object({}, { additionalProperties: true }),
  /** Null if the server does not know its URL. */
  realm_url: nullable(Type.String()),
  bot_email: Type.String(),
  token: Type.String(),
})
export type WebhookEvent = Static<typeof webhookEvent>

const tag = 'Outgoing webhooks'

export const getWebhookPayload = operation({
  name: 'getWebhookPayload',
  method: 'POST',
  path: '/service-outgoing-webhook',
  aliases: ['/zulip-outgoing-webhook'],
  access: 'user',
  tag,
  summary: 'Get a payload of an outgoing webhook: the latest one for such a bot, an example for other callers.',
  response: webhookPayload.properties,
})

const delivery = Type.Object({
  id: Type.Integer(),
  /** Null if the event is not about one message. */
  message_id: nullable(Type.Integer()),
  trigger: Type.Enum([...triggers]),
  status: Type.Enum(['waiting', 'sending', 'delivered', 'failed', 'cancelled']),
  attempts: Type.Integer(),
  created_at: Type.Integer(),
  finished_at: nullable(Type.Integer()),
  /** Duration of the last attempt. */
  duration_ms: nullable(Type.Integer()),
  response_status: nullable(Type.Integer()),
  error: nullable(Type.String()),
})
export type DeliveryObject = Static<typeof delivery>

export const getDeliveries = operation({
  name: 'getDeliveries',
  method: 'GET',
  path: '/bots/{bot_id}/deliveries',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'List the deliveries of an outgoing webhook, past and pending, newest first.',
  pathParams: { bot_id: id },
  params: {
    before: Type.Optional(id),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 50),
  },
  response: { deliveries: Type.Array(delivery) },
})

export const replayDelivery = operation({
  name: 'replayDelivery',
  method: 'POST',
  path: '/bots/{bot_id}/deliveries/{delivery_id}/replay',
  access: 'human_member',
  tag,
  summary: 'Replay a delivery that succeeded or failed. It keeps its `webhook-id`.',
  pathParams: { bot_id: id, delivery_id: id },
})

export const getWebhookSecret = operation({
  name: 'getWebhookSecret',
  method: 'GET',
  path: '/bots/{bot_id}/webhook_secret',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'Get the signing secret of an outgoing webhook, in the format of Standard Webhooks.',
  pathParams: { bot_id: id },
  response: { secret: Type.String() },
  errors: ['PASSWORD_REQUIRED'],
})
