import { type Static, Type } from 'typebox'
import { groupSettingValue, id, nullable, shortText, text } from '../common.ts'
import { textLimits } from '../limits.ts'
import { jsonOrText, operation, withDefault } from '../operation.ts'
import { settingChange } from '../organization/groups.ts'

/** The five permission settings of a channel. */
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
  summary: 'List the channels that the caller can see, by name.',
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
  summary: 'Get a channel by id.',
  pathParams: { stream_id: id },
  response: { stream: channel },
})

export const getChannelId = operation({
  name: 'getChannelId',
  method: 'GET',
  path: '/get_stream_id',
  access: 'user',
  tag: 'Channels',
  summary: 'Get the id of a channel by name.',
  params: { stream: shortText },
  response: { stream_id: Type.Integer() },
})

export const getChannelMembers = operation({
  name: 'getChannelMembers',
  method: 'GET',
  path: '/streams/{stream_id}/members',
  access: 'user',
  tag: 'Channels',
  summary: 'List the subscribers of a channel.',
  pathParams: { stream_id: id },
  response: { subscribers: Type.Array(Type.Integer()) },
})

export const getTopics = operation({
  name: 'getTopics',
  method: 'GET',
  path: '/users/me/{stream_id}/topics',
  access: 'user',
  tag: 'Channels',
  summary: 'List the topics of a channel, most recently active first.',
  pathParams: { stream_id: id },
  params: { allow_empty_topic_name: withDefault(Type.Boolean(), false) },
  response: { topics: Type.Array(Type.Object({ name: Type.String(), max_id: Type.Integer() })) },
})

/** How long messages are kept: a number of days, forever, or the default of the organization. */
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
  summary: 'Update the name, description, privacy, permissions, retention or folder of a channel, or unarchive it.',
  pathParams: { stream_id: id },
  params: {
    description: Type.Optional(text(textLimits.description)),
    new_name: Type.Optional(shortText),
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
  summary:
    'Get the email address of a channel, through which emails are posted by `sender_id`: oneself, an own bot, or the Email Gateway. It is empty if the server receives no email.',
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
  summary: 'Add a default channel, to which new users are subscribed.',
  params: { stream_id: id },
})

export const removeDefaultChannel = operation({
  name: 'removeDefaultChannel',
  method: 'DELETE',
  path: '/default_streams',
  access: 'admin',
  tag: 'Channels',
  summary: 'Remove a default channel.',
  params: { stream_id: id },
})
