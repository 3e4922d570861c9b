import { type Static, Type } from 'typebox'
import { id, nullable, ownPassword, record, role, shortText, text, truncatedText } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
import { jsonOrText, operation, withDefault } from '../operation.ts'
import { avatarLimit } from '../people/avatars.ts'
import { triggerSettings } from './webhook-triggers.ts'

/** The payload format of an outgoing webhook: ours or Slack's. */
export const serviceInterfaces = { generic: 1, slack: 2 } as const

const serviceInterface = Type.Enum([1, 2])
const service = Type.Object({
  base_url: Type.String(),
  interface: serviceInterface,
  token: Type.String(),
  ...triggerSettings.properties,
})

const defaults = {
  default_sending_stream: nullable(Type.String()),
  default_events_register_stream: nullable(Type.String()),
  default_all_public_streams: Type.Boolean(),
}

/** A bot as its owner and administrators see it. */
export const bot = Type.Object({
  user_id: Type.Integer(),
  email: Type.String(),
  full_name: Type.String(),
  bot_type: Type.Integer(),
  is_active: Type.Boolean(),
  /** Empty for sessions, and if the key would give the viewer more permissions than they have. */
  api_key: Type.String(),
  avatar_url: Type.String(),
  ...defaults,
  services: Type.Array(service),
  owner_id: Type.Optional(Type.Integer()),
})
export type Bot = Static<typeof bot>

export const botChange = Type.Object({ ...Type.Partial(bot).properties, user_id: Type.Integer() })
export type BotChange = Static<typeof botChange>

const tag = 'Bots'
const pathParams = { bot_id: id }
const configData = record(text(10_000), { keys: textLimits.storageKey, maxProperties: listLimits.configEntries })
const channelName = Type.Optional(shortText)
/** Clients send a JSON string; bare text is accepted too. */
const url = Type.Optional(jsonOrText(Type.String({ maxLength: 2000 })))

export const getBots = operation({
  name: 'getBots',
  method: 'GET',
  path: '/bots',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: "List the caller's own active bots.",
  response: {
    bots: Type.Array(
      Type.Object({
        username: Type.String(),
        full_name: Type.String(),
        api_key: Type.String(),
        avatar_url: Type.String(),
        ...defaults,
      }),
    ),
  },
})

export const createBot = operation({
  name: 'createBot',
  method: 'POST',
  path: '/bots',
  access: 'human_member',
  fileLimit: avatarLimit,
  fileIsOptional: true,
  tag,
  summary:
    'Create a bot: 1 generic, 2 incoming webhook (may only send), 3 outgoing webhook. An uploaded file becomes its avatar.',
  params: {
    full_name: shortText,
    short_name: shortText,
    bot_type: withDefault(Type.Enum([1, 2, 3, 4]), 1),
    default_sending_stream: channelName,
    default_events_register_stream: channelName,
    default_all_public_streams: Type.Optional(Type.Boolean()),
    payload_url: url,
    interface_type: withDefault(serviceInterface, 1),
    config_data: withDefault(configData, {}),
    password: ownPassword,
  },
  response: { user_id: Type.Integer(), api_key: Type.String(), avatar_url: Type.String(), ...defaults },
  errors: ['BAD_IMAGE', 'PASSWORD_REQUIRED'],
})

export const updateBot = operation({
  name: 'updateBot',
  method: 'PATCH',
  path: '/bots/{bot_id}',
  access: 'human_member',
  fileLimit: avatarLimit,
  fileIsOptional: true,
  tag,
  summary:
    'Update the name, owner, role, default channels, endpoint or triggers of a bot. An uploaded file becomes its avatar.',
  pathParams,
  params: {
    full_name: Type.Optional(shortText),
    role: Type.Optional(role),
    bot_owner_id: Type.Optional(id),
    default_sending_stream: channelName,
    default_events_register_stream: channelName,
    default_all_public_streams: Type.Optional(Type.Boolean()),
    service_payload_url: url,
    service_interface: Type.Optional(serviceInterface),
    ...Type.Partial(triggerSettings).properties,
    config_data: Type.Optional(configData),
    password: ownPassword,
  },
  response: {
    full_name: Type.String(),
    avatar_url: Type.String(),
    service_interface: nullable(Type.Integer()),
    service_payload_url: nullable(Type.String()),
    config_data: nullable(configData),
    ...defaults,
    bot_owner: Type.Optional(Type.String()),
  },
  errors: ['BAD_IMAGE', 'PASSWORD_REQUIRED'],
})

export const deactivateBot = operation({
  name: 'deactivateBot',
  method: 'DELETE',
  path: '/bots/{bot_id}',
  access: 'human_member',
  tag,
  summary: 'Deactivate a bot.',
  pathParams,
})

export const getBotApiKey = operation({
  name: 'getBotApiKey',
  method: 'GET',
  path: '/bots/{bot_id}/api_key',
  access: 'human_member',
  scope: 'full',
  tag,
  summary:
    'Get the API key of a bot. Sessions use `POST /bots/{bot_id}/secrets`, because URLs are no place for passwords.',
  pathParams,
  response: { api_key: Type.String() },
  errors: ['PASSWORD_REQUIRED'],
})

export const getBotSecrets = operation({
  name: 'getBotSecrets',
  method: 'POST',
  path: '/bots/{bot_id}/secrets',
  access: 'human_member',
  scope: 'full',
  tag,
  summary: 'Get the API key of a bot, and the token and signing secret of an outgoing webhook.',
  pathParams,
  params: { password: ownPassword },
  response: {
    api_key: Type.String(),
    webhook_token: nullable(Type.String()),
    webhook_secret: nullable(Type.String()),
  },
  errors: ['PASSWORD_REQUIRED'],
})

export const regenerateBotApiKey = operation({
  name: 'regenerateBotApiKey',
  method: 'POST',
  path: '/bots/{bot_id}/api_key/regenerate',
  access: 'human_member',
  tag,
  summary: "Replace a bot's API key. The old key and the event queues registered with it stop working immediately.",
  pathParams,
  params: { password: ownPassword },
  response: { api_key: Type.String() },
  errors: ['PASSWORD_REQUIRED'],
})

const keys = Type.Optional(Type.Array(text(textLimits.storageKey), { maxItems: listLimits.usual }))

export const getBotStorage = operation({
  name: 'getBotStorage',
  method: 'GET',
  path: '/bot_storage',
  access: 'user',
  tag,
  summary: 'Get the stored values of the calling bot, all or those of some keys.',
  params: { keys },
  response: { storage: Type.Record(Type.String(), Type.String()) },
  errors: ['PERMISSION_DENIED'],
})

export const updateBotStorage = operation({
  name: 'updateBotStorage',
  method: 'PUT',
  path: '/bot_storage',
  access: 'user',
  scope: 'account',
  tag,
  summary: 'Store values for the calling bot.',
  params: {
    storage: record(truncatedText, { keys: textLimits.storageKey, maxProperties: listLimits.storageEntries }),
  },
  errors: ['PERMISSION_DENIED'],
})

export const deleteBotStorage = operation({
  name: 'deleteBotStorage',
  method: 'DELETE',
  path: '/bot_storage',
  access: 'user',
  scope: 'account',
  tag,
  summary: 'Delete the stored values of the calling bot, all or those of some keys.',
  params: { keys },
  errors: ['PERMISSION_DENIED'],
})
