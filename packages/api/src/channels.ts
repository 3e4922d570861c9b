import { type Static, Type } from 'typebox'
import { groupSettingValue, id, nullable } from './common.ts'
import { settingChange } from './groups.ts'
import { jsonOrText, operation, withDefault } from './operation.ts'

/** The five permissions a channel carries. */
export const channelPermissionNames = [
  'can_add_subscribers_group',
  'can_administer_channel_group',
  'can_remove_subscribers_group',
  'can_send_message_group',
  'can_subscribe_group',
] as const
export type ChannelPermission = (typeof channelPermissionNames)[number]

export const channelFields = {
  stream_id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  rendered_description: Type.String(),
  date_created: Type.Integer(),
  creator_id: nullable(Type.Integer()),
  invite_only: Type.Boolean(),
  is_web_public: Type.Boolean(),
  history_public_to_subscribers: Type.Boolean(),
  is_archived: Type.Boolean(),
  is_recently_active: Type.Boolean(),
  first_message_id: nullable(Type.Integer()),
  message_retention_days: nullable(Type.Integer()),
  folder_id: nullable(Type.Integer()),
  stream_post_policy: Type.Integer(),
  is_announcement_only: Type.Boolean(),
  stream_weekly_traffic: nullable(Type.Integer()),
  can_add_subscribers_group: groupSettingValue,
  can_administer_channel_group: groupSettingValue,
  can_remove_subscribers_group: groupSettingValue,
  can_send_message_group: groupSettingValue,
  can_subscribe_group: groupSettingValue,
}
export const channel = Type.Object(channelFields)
export type ChannelObject = Static<typeof channel>

export const getChannels = operation({
  name: 'getChannels',
  method: 'GET',
  path: '/streams',
  access: 'user',
  tag: 'Channels',
  summary: 'Channels the caller can see, by name.',
  params: {
    include_public: withDefault(Type.Boolean(), true),
    include_web_public: withDefault(Type.Boolean(), false),
    include_subscribed: withDefault(Type.Boolean(), true),
    exclude_archived: withDefault(Type.Boolean(), true),
    include_all: withDefault(Type.Boolean({ 'x-alias': 'include_all_active' }), false),
    include_default: withDefault(Type.Boolean(), false),
    include_owner_subscribed: withDefault(Type.Boolean(), false),
    include_can_access_content: withDefault(Type.Boolean(), false),
  },
  response: { streams: Type.Array(Type.Object({ ...channelFields, is_default: Type.Optional(Type.Boolean()) })) },
})

export const getChannel = operation({
  name: 'getChannel',
  method: 'GET',
  path: '/streams/{stream_id}',
  access: 'user',
  tag: 'Channels',
  summary: 'One channel.',
  pathParams: { stream_id: id },
  response: { stream: channel },
})

export const getChannelId = operation({
  name: 'getChannelId',
  method: 'GET',
  path: '/get_stream_id',
  access: 'user',
  tag: 'Channels',
  summary: 'The id of the channel with this name.',
  params: { stream: Type.String() },
  response: { stream_id: Type.Integer() },
})

export const getChannelMembers = operation({
  name: 'getChannelMembers',
  method: 'GET',
  path: '/streams/{stream_id}/members',
  access: 'user',
  tag: 'Channels',
  summary: 'Who is subscribed to a channel.',
  pathParams: { stream_id: id },
  response: { subscribers: Type.Array(Type.Integer()) },
})

export const getTopics = operation({
  name: 'getTopics',
  method: 'GET',
  path: '/users/me/{stream_id}/topics',
  access: 'user',
  tag: 'Channels',
  summary: "A channel's topics, the one with the newest message first.",
  pathParams: { stream_id: id },
  params: { allow_empty_topic_name: withDefault(Type.Boolean(), false) },
  response: { topics: Type.Array(Type.Object({ name: Type.String(), max_id: Type.Integer() })) },
})

/** How long messages are kept: days, for ever, or as the organization says. */
export const retention = Type.Union([
  Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  Type.Enum(['unlimited', 'realm_default']),
])

export const updateChannel = operation({
  name: 'updateChannel',
  method: 'PATCH',
  path: '/streams/{stream_id}',
  access: 'user',
  tag: 'Channels',
  summary: "Change a channel's name, description, privacy, permissions, retention or folder; unarchive it.",
  pathParams: { stream_id: id },
  params: {
    description: Type.Optional(Type.String()),
    new_name: Type.Optional(Type.String()),
    is_private: Type.Optional(Type.Boolean()),
    is_web_public: Type.Optional(Type.Boolean()),
    history_public_to_subscribers: Type.Optional(Type.Boolean()),
    is_default_stream: Type.Optional(Type.Boolean()),
    is_archived: Type.Optional(Type.Boolean()),
    message_retention_days: Type.Optional(jsonOrText(retention)),
    folder_id: Type.Optional(nullable(id)),
    can_add_subscribers_group: Type.Optional(settingChange),
    can_administer_channel_group: Type.Optional(settingChange),
    can_remove_subscribers_group: Type.Optional(settingChange),
    can_send_message_group: Type.Optional(settingChange),
    can_subscribe_group: Type.Optional(settingChange),
  },
  errors: ['EXPECTATION_MISMATCH'],
})

export const archiveChannel = operation({
  name: 'archiveChannel',
  method: 'DELETE',
  path: '/streams/{stream_id}',
  access: 'user',
  tag: 'Channels',
  summary: 'Archive a channel.',
  pathParams: { stream_id: id },
})

export const getChannelEmail = operation({
  name: 'getChannelEmail',
  method: 'GET',
  path: '/streams/{stream_id}/email_address',
  access: 'user',
  tag: 'Channels',
  summary: 'The address that mail for a channel is sent to; empty where the server takes no mail.',
  pathParams: { stream_id: id },
  params: { sender_id: Type.Optional(id) },
  response: { email: Type.String() },
})

export const addDefaultChannel = operation({
  name: 'addDefaultChannel',
  method: 'POST',
  path: '/default_streams',
  access: 'admin',
  tag: 'Channels',
  summary: 'Have new users subscribed to a channel.',
  params: { stream_id: id },
})

export const removeDefaultChannel = operation({
  name: 'removeDefaultChannel',
  method: 'DELETE',
  path: '/default_streams',
  access: 'admin',
  tag: 'Channels',
  summary: 'No longer have new users subscribed to a channel.',
  params: { stream_id: id },
})
