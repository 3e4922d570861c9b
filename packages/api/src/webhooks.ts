import { type Static, Type } from 'typebox'
import { id, nullable } from './common.ts'
import { message } from './messages.ts'
import { operation, withDefault } from './operation.ts'

export const triggers = ['direct_message', 'mention'] as const

const { flags: _flags, match_content: _content, match_subject: _subject, ...listed } = message.properties

/** A message as an outgoing webhook is told of it: with its markup as it was written, and as HTML. */
export const webhookMessage = Type.Object({ ...listed, rendered_content: Type.String() })
export type WebhookMessage = Static<typeof webhookMessage>

export const webhookPayload = Type.Object({
  bot_email: Type.String(),
  bot_full_name: Type.String(),
  data: Type.String(),
  trigger: Type.Enum([...triggers]),
  token: Type.String(),
  message: webhookMessage,
})
export type WebhookPayload = Static<typeof webhookPayload>

const tag = 'Outgoing webhooks'

export const getWebhookPayload = operation({
  name: 'getWebhookPayload',
  method: 'POST',
  path: '/service-outgoing-webhook',
  aliases: ['/zulip-outgoing-webhook'],
  access: 'user',
  tag,
  summary: 'What an outgoing webhook is sent: to such a bot its own latest, to everybody else an example.',
  response: webhookPayload.properties,
})

const delivery = Type.Object({
  id: Type.Integer(),
  message_id: Type.Integer(),
  trigger: Type.Enum([...triggers]),
  status: Type.Enum(['waiting', 'sending', 'delivered', 'failed', 'cancelled']),
  attempts: Type.Integer(),
  created_at: Type.Integer(),
  finished_at: nullable(Type.Integer()),
  /** How long the last attempt took. */
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
  tag,
  summary: 'What was and is to be delivered to an outgoing webhook, the newest first.',
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
  summary: 'Deliver something once more that was delivered or given up. It carries the same `webhook-id`.',
  pathParams: { bot_id: id, delivery_id: id },
})

export const getWebhookSecret = operation({
  name: 'getWebhookSecret',
  method: 'GET',
  path: '/bots/{bot_id}/webhook_secret',
  access: 'human_member',
  tag,
  summary: 'The secret that requests to an outgoing webhook are signed with, as Standard Webhooks writes it.',
  pathParams: { bot_id: id },
  response: { secret: Type.String() },
})
