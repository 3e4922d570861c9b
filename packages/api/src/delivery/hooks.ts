import { type Static, Type } from 'typebox'
import { id, nullable, text } from '../common.ts'
import { hookLimits, listLimits, nameLimits, textLimits } from '../limits.ts'
import { operation, withDefault } from '../operation.ts'

export const hookOutcomes = [
  'sent',
  'updated',
  'counted',
  'collapsed',
  'ignored',
  'unsupported',
  'malformed',
  'refused',
  'repeated',
  'undeliverable',
  'failed',
] as const

const tag = 'Incoming hooks'
const pathParams = { hook_id: id }
const template = text(hookLimits.template)
const patterns = Type.Array(text(textLimits.short), { maxItems: listLimits.eventTypes })

/** What the owner chose; everything else is as the integration says. */
const options = {
  only_events: Type.Optional(patterns),
  exclude_events: Type.Optional(patterns),
  topic_template: Type.Optional(template),
  text_template: Type.Optional(template),
  filter: Type.Optional(template),
  mentions_allowed: Type.Optional(Type.Boolean()),
  update_key: Type.Optional(template),
  dedup_key: Type.Optional(template),
}

const integration = Type.Object({
  name: Type.String(),
  title: Type.String(),
  category: Type.Enum(['generic', 'code', 'build', 'alerts', 'work', 'business']),
  summary: Type.String(),
  icon: Type.String({ description: 'An image, as SVG.' }),
  setup: Type.String({
    description: 'The steps at the sender, in our markup, with `{{url}}` for the URL of the hook.',
  }),
  is_signed: Type.Boolean({ description: 'Whether the sender can sign its requests with a secret.' }),
  events: Type.Array(Type.Object({ name: Type.String(), title: Type.String() })),
})
export type IntegrationObject = Static<typeof integration>

export const getIntegrations = operation({
  name: 'getIntegrations',
  method: 'GET',
  path: '/integrations',
  access: 'human_member',
  tag,
  summary: 'List the services whose requests Parley turns into messages.',
  response: { integrations: Type.Array(integration) },
})

const hook = Type.Object({
  id: Type.Integer(),
  bot_id: Type.Integer(),
  integration: Type.String(),
  name: Type.String(),
  url: nullable(Type.String({ description: 'Null for requests with the API key of the bot.' })),
  channel_id: nullable(Type.Integer({ description: 'Null: direct messages to the owner of the bot.' })),
  topic: nullable(Type.String()),
  options: Type.Object(options),
  has_secret: Type.Boolean(),
  is_enabled: Type.Boolean(),
  created_at: Type.Integer(),
  last_at: nullable(Type.Integer()),
  received: Type.Integer(),
})
export type HookObject = Static<typeof hook>

export const getHooks = operation({
  name: 'getHooks',
  method: 'GET',
  path: '/hooks',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: "List the incoming hooks of the caller's bots; administrators get all.",
  response: { hooks: Type.Array(hook) },
})

const settings = {
  topic: Type.Optional(text(textLimits.short)),
  secret: Type.Optional(text(textLimits.short)),
  ...options,
}

export const createHook = operation({
  name: 'createHook',
  method: 'POST',
  path: '/hooks',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'Create an incoming hook. Without `bot_id`, a bot that can only send is created for it.',
  params: {
    integration: text(textLimits.short),
    name: text(nameLimits.user),
    channel_id: Type.Optional(id),
    bot_id: Type.Optional(id),
    ...settings,
  },
  response: { id: Type.Integer(), url: Type.String() },
})

export const updateHook = operation({
  name: 'updateHook',
  method: 'PATCH',
  path: '/hooks/{hook_id}',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'Change where an incoming hook posts and what. An empty topic or template restores that of the integration.',
  pathParams,
  params: {
    name: Type.Optional(text(nameLimits.user)),
    channel_id: Type.Optional(nullable(id)),
    is_enabled: Type.Optional(Type.Boolean()),
    ...settings,
  },
})

export const deleteHook = operation({
  name: 'deleteHook',
  method: 'DELETE',
  path: '/hooks/{hook_id}',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'Delete an incoming hook with its log. Its URL stops working at once.',
  pathParams,
})

const result = {
  outcome: Type.Enum([...hookOutcomes]),
  event: nullable(Type.String()),
  message_id: nullable(Type.Integer()),
  error: nullable(Type.String()),
}

const request = Type.Object({
  id: Type.Integer(),
  received_at: Type.Integer(),
  ...result,
  headers: nullable(Type.Record(Type.String(), Type.String())),
  body: nullable(Type.String({ description: 'Null unless the caller owns the bot.' })),
  is_complete: Type.Boolean({ description: 'Whether `body` is everything that was sent.' }),
})
export type HookRequestObject = Static<typeof request>

export const getHookRequests = operation({
  name: 'getHookRequests',
  method: 'GET',
  path: '/hooks/{hook_id}/requests',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'List what an incoming hook received in the last 7 days, and what was made of it, newest first.',
  pathParams,
  params: {
    before: Type.Optional(id),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: hookLimits.requestsPerPage }), 20),
  },
  response: { requests: Type.Array(request) },
})

export const replayHookRequest = operation({
  name: 'replayHookRequest',
  method: 'POST',
  path: '/hooks/{hook_id}/requests/{request_id}/replay',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'Handle a request of the log once more, as the hook is set now.',
  pathParams: { hook_id: id, request_id: id },
  response: result,
})

export const testHook = operation({
  name: 'testHook',
  method: 'POST',
  path: '/hooks/{hook_id}/test',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'Send an example of the integration through the hook, marked as a test.',
  pathParams,
  params: { event: Type.Optional(text(textLimits.short)) },
  response: result,
})

export const previewHook = operation({
  name: 'previewHook',
  method: 'POST',
  path: '/hooks/preview',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'Show which message templates would make of a payload. Nothing is sent.',
  params: {
    integration: text(textLimits.short),
    payload: text(hookLimits.previewedPayload),
    event: Type.Optional(text(textLimits.short)),
    ...options,
  },
  response: {
    topic: nullable(Type.String()),
    content: nullable(Type.String()),
    rendered: nullable(Type.String()),
    error: nullable(Type.String()),
  },
})
