import { type Static, Type } from 'typebox'
import { nullable, text } from '../common.ts'
import { queueEvent } from '../events.ts'
import { listLimits, maxEventTypeLength, textLimits } from '../limits.ts'
import { jsonOrText, operation, withDefault } from '../operation.ts'
import { registerState } from './register.ts'

export const clientCapabilities = Type.Object({
  notification_settings_null: Type.Boolean(),
  bulk_message_deletion: Type.Optional(Type.Boolean()),
  user_avatar_url_field_optional: Type.Optional(Type.Boolean()),
  stream_typing_notifications: Type.Optional(Type.Boolean()),
  user_settings_object: Type.Optional(Type.Boolean()),
  linkifier_url_template: Type.Optional(Type.Boolean()),
  user_list_incomplete: Type.Optional(Type.Boolean()),
  include_deactivated_groups: Type.Optional(Type.Boolean()),
  archived_channels: Type.Optional(Type.Boolean()),
  empty_topic_name: Type.Optional(Type.Boolean()),
})
export type ClientCapabilities = Static<typeof clientCapabilities>

const typeNames = Type.Optional(
  nullable(Type.Array(Type.String({ maxLength: maxEventTypeLength }), { maxItems: listLimits.eventTypes })),
)

/** The parameters of an event queue. */
export const registration = {
  event_types: typeNames,
  fetch_event_types: typeNames,
  apply_markdown: withDefault(Type.Boolean(), false),
  client_gravatar: Type.Optional(Type.Boolean()),
  include_subscribers: jsonOrText(withDefault(Type.Union([Type.Boolean(), Type.Literal('partial')]), false)),
  slim_presence: withDefault(Type.Boolean(), false),
  presence_history_limit_days: withDefault(Type.Integer({ minimum: 0 }), 14),
  all_public_streams: Type.Optional(Type.Boolean()),
  narrow: withDefault(
    Type.Union([
      Type.Array(Type.Array(text(textLimits.queueOperand), { minItems: 2, maxItems: 2 }), {
        maxItems: listLimits.narrowTerms,
      }),
      Type.Null(),
    ]),
    [],
  ),
  client_capabilities: Type.Optional(clientCapabilities),
  queue_lifespan_secs: Type.Optional(Type.Integer({ minimum: 0 })),
  idle_queue_timeout: Type.Optional(jsonOrText(Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('mobile')]))),
}

export const register = operation({
  name: 'register',
  method: 'POST',
  path: '/register',
  access: 'user',
  scope: 'read',
  tag: 'Events',
  summary: 'Register an event queue and get the initial state, which its events keep up to date.',
  params: registration,
  response: {
    queue_id: Type.String(),
    last_event_id: Type.Integer(),
    idle_queue_timeout_secs: Type.Integer(),
    zulip_version: Type.String(),
    zulip_feature_level: Type.Integer(),
    zulip_merge_base: Type.String(),
    ...registerState,
  },
})

export const getEvents = operation({
  name: 'getEvents',
  method: 'GET',
  path: '/events',
  access: 'user',
  tag: 'Events',
  summary:
    'Get the events of a queue after `last_event_id`, or wait for the next one. Without `queue_id`, register a queue first. With `Accept: text/event-stream`, the events are sent as Server-Sent Events.',
  params: {
    queue_id: Type.Optional(text(textLimits.opaqueId)),
    last_event_id: Type.Optional(Type.Integer({ minimum: -1 })),
    dont_block: withDefault(Type.Boolean(), false),
    ...registration,
  },
  response: { events: Type.Array(queueEvent), queue_id: Type.String() },
  errors: ['BAD_EVENT_QUEUE_ID'],
})

export const deleteQueue = operation({
  name: 'deleteQueue',
  method: 'DELETE',
  path: '/events',
  access: 'user',
  scope: 'read',
  tag: 'Events',
  summary: 'Delete an event queue.',
  params: { queue_id: text(textLimits.opaqueId) },
  errors: ['BAD_EVENT_QUEUE_ID'],
})
