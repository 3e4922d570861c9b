import { type Static, type TProperties, Type } from 'typebox'
import { groupSettingValue, nullable } from './common.ts'
import { channel, channelPermissionNames } from './conversations/channels.ts'
import { defaultChannelGroup } from './conversations/default-channel-groups.ts'
import { draft } from './conversations/drafts.ts'
import { propagateModes } from './conversations/editing.ts'
import { flags, newMessage, reaction } from './conversations/messages.ts'
import { mutedUsers } from './conversations/muting.ts'
import { reminder } from './conversations/reminders.ts'
import { scheduledMessage } from './conversations/scheduled.ts'
import { subscription, subscriptionProperties } from './conversations/subscriptions.ts'
import { attachment } from './conversations/uploads.ts'
import { bot, botChange } from './delivery/bots.ts'
import { userChange } from './identity/accounts.ts'
import { realmExport } from './operation/export.ts'
import { realmDomain } from './organization/domains.ts'
import { customEmojiMap } from './organization/emoji.ts'
import { channelFolder } from './organization/folders.ts'
import { groupChange, userGroup } from './organization/groups.ts'
import { linkifier, playground } from './organization/linkifiers.ts'
import { presenceEventBody } from './people/presence.ts'
import { profileField } from './people/profile-fields.ts'
import { savedSnippet } from './people/snippets.ts'
import { userStatusChanged } from './people/status.ts'
import { listedUser } from './people/users.ts'

/** The event as sent to clients, with its id in the queue. */
function event<Name extends string, Fields extends TProperties>(type: Name, fields: Fields) {
  return Type.Object({ id: Type.Integer(), type: Type.Literal(type), ...fields })
}

const typist = Type.Object({ user_id: Type.Integer(), email: Type.String() })
const startOrStop = Type.Enum(['start', 'stop'])

export const heartbeatEvent = event('heartbeat', {})

/** The server restarted after the client registered the queue. */
export const restartEvent = event('restart', {
  zulip_version: Type.String(),
  zulip_feature_level: Type.Integer(),
  zulip_merge_base: Type.String(),
  server_generation: Type.Integer(),
})

/** The operator begins or ends a time in which nothing can be changed. */
export const serverMaintenanceEvent = event('server_maintenance', { text: nullable(Type.String()) })

export const messageEvent = event('message', {
  message: Type.Object({
    ...newMessage.properties,
    // Of a message that was deleted and is restored.
    last_edit_timestamp: Type.Optional(Type.Integer()),
    last_moved_timestamp: Type.Optional(Type.Integer()),
  }),
  flags,
  local_message_id: Type.Optional(Type.String()),
})

/** What a bot or an agent does instead of typing. */
const work = { activity: Type.Optional(Type.Enum(['working'])), note: Type.Optional(Type.String()) }

export const directTypingEvent = event('typing', {
  ...work,
  op: startOrStop,
  message_type: Type.Literal('direct'),
  sender: typist,
  recipients: Type.Array(typist),
})

export const channelTypingEvent = event('typing', {
  ...work,
  op: startOrStop,
  message_type: Type.Literal('stream'),
  sender: typist,
  stream_id: Type.Integer(),
  topic: Type.String(),
})

/** Someone asks a bot or an agent to stop what it does in a conversation. */
export const agentStopEvent = event('agent_stop', {
  /** Who asks. */
  user_id: Type.Integer(),
  /** Absent for direct messages with that user. */
  stream_id: Type.Optional(Type.Integer()),
  topic: Type.Optional(Type.String()),
})

/** What only one user sees: the answer of a bot to a command or an action. It is not stored. */
export const ephemeralMessageEvent = event('ephemeral_message', {
  sender_id: Type.Integer(),
  /** HTML. */
  content: Type.String(),
  timestamp: Type.Integer(),
  stream_id: Type.Optional(Type.Integer()),
  topic: Type.Optional(Type.String()),
  /** Of direct messages: all participants. */
  user_ids: Type.Optional(Type.Array(Type.Integer())),
})

const flagsChanged = {
  operation: Type.Enum(['add', 'remove']),
  flag: Type.String(),
  messages: Type.Array(Type.Integer()),
  all: Type.Boolean(),
}
export const messageDetails = Type.Record(
  Type.String(),
  Type.Union([
    Type.Object({
      type: Type.Literal('private'),
      user_ids: Type.Array(Type.Integer()),
      mentioned: Type.Optional(Type.Boolean()),
    }),
    Type.Object({
      type: Type.Literal('stream'),
      stream_id: Type.Integer(),
      topic: Type.String(),
      unmuted_stream_msg: Type.Boolean(),
      mentioned: Type.Optional(Type.Boolean()),
    }),
  ]),
)
export const flagsAddedEvent = event('update_message_flags', { op: Type.Literal('add'), ...flagsChanged })
export const flagsRemovedEvent = event('update_message_flags', {
  op: Type.Literal('remove'),
  ...flagsChanged,
  message_details: Type.Optional(messageDetails),
})

export const presenceEvent = event('presence', {
  user_id: Type.Integer(),
  email: Type.Optional(Type.String()),
  server_timestamp: Type.Number(),
  presence: presenceEventBody,
})

export const channelCreateEvent = event('stream', { op: Type.Literal('create'), streams: Type.Array(channel) })
export const channelDeleteEvent = event('stream', {
  op: Type.Literal('delete'),
  stream_ids: Type.Array(Type.Integer()),
  streams: Type.Array(Type.Object({ stream_id: Type.Integer() })),
})

export const channelUpdateEvent = event('stream', {
  op: Type.Literal('update'),
  stream_id: Type.Integer(),
  /** The previous name, if the channel was renamed. */
  name: Type.String(),
  property: Type.Enum([
    'name',
    'description',
    'invite_only',
    'is_archived',
    'is_recently_active',
    'message_retention_days',
    'folder_id',
    'stream_post_policy',
    'is_announcement_only',
    ...channelPermissionNames,
  ]),
  value: Type.Union([Type.String(), Type.Integer(), Type.Boolean(), Type.Null(), groupSettingValue]),
  rendered_description: Type.Optional(Type.String()),
  history_public_to_subscribers: Type.Optional(Type.Boolean()),
  is_web_public: Type.Optional(Type.Boolean()),
})

export const subscriptionAddEvent = event('subscription', {
  op: Type.Literal('add'),
  subscriptions: Type.Array(subscription),
})
export const subscriptionRemoveEvent = event('subscription', {
  op: Type.Literal('remove'),
  subscriptions: Type.Array(Type.Object({ stream_id: Type.Integer(), name: Type.String() })),
})
export const subscriptionUpdateEvent = event('subscription', {
  op: Type.Literal('update'),
  stream_id: Type.Integer(),
  property: Type.Enum(subscriptionProperties),
  value: Type.Union([Type.Boolean(), Type.String()]),
  subscriptions: Type.Array(subscription),
})
export const peerEvent = event('subscription', {
  op: Type.Enum(['peer_add', 'peer_remove']),
  stream_ids: Type.Array(Type.Integer()),
  user_ids: Type.Array(Type.Integer()),
})

export const defaultChannelsEvent = event('default_streams', { default_streams: Type.Array(Type.Integer()) })
export const defaultChannelGroupsEvent = event('default_stream_groups', {
  default_stream_groups: Type.Array(defaultChannelGroup),
})

export const folderAddEvent = event('channel_folder', { op: Type.Literal('add'), channel_folder: channelFolder })
export const folderUpdateEvent = event('channel_folder', {
  op: Type.Literal('update'),
  channel_folder_id: Type.Integer(),
  data: Type.Partial(Type.Pick(channelFolder, ['name', 'description', 'rendered_description', 'is_archived'])),
})
export const folderOrderEvent = event('channel_folder', {
  op: Type.Literal('reorder'),
  order: Type.Array(Type.Integer()),
})

export const userAddEvent = event('realm_user', {
  op: Type.Literal('add'),
  person: Type.Object({ ...listedUser.properties, is_active: Type.Boolean() }),
})

/** Sent to a guest who can no longer see the user. */
export const userRemoveEvent = event('realm_user', {
  op: Type.Literal('remove'),
  person: Type.Object({ user_id: Type.Integer(), full_name: Type.String() }),
})

export const userUpdateEvent = event('realm_user', { op: Type.Literal('update'), person: userChange })

const settingValue = Type.Union([Type.Boolean(), Type.Integer(), Type.String()])
const languageName = Type.Optional(Type.String())
export const userSettingsEvent = event('user_settings', {
  op: Type.Literal('update'),
  property: Type.String(),
  value: settingValue,
  language_name: languageName,
})
export const displaySettingsEvent = event('update_display_settings', {
  user: Type.String(),
  setting_name: Type.String(),
  setting: settingValue,
  language_name: languageName,
})
export const notificationSettingsEvent = event('update_global_notifications', {
  user: Type.String(),
  notification_name: Type.String(),
  setting: settingValue,
})
export const settingsDefaultsEvent = event('realm_user_settings_defaults', {
  op: Type.Literal('update'),
  property: Type.String(),
  value: settingValue,
})
export const mutedUsersEvent = event('muted_users', { muted_users: mutedUsers })
export const alertWordsEvent = event('alert_words', { alert_words: Type.Array(Type.String()) })
export const userStatusEvent = event('user_status', userStatusChanged)
export const domainChangedEvent = event('realm_domains', {
  op: Type.Enum(['add', 'change']),
  realm_domain: realmDomain,
})
export const domainRemovedEvent = event('realm_domains', { op: Type.Literal('remove'), domain: Type.String() })

export const botAddEvent = event('realm_bot', { op: Type.Literal('add'), bot })
export const botUpdateEvent = event('realm_bot', { op: Type.Literal('update'), bot: botChange })
/** Sent to users who no longer manage the bot. */
export const botDeleteEvent = event('realm_bot', {
  op: Type.Literal('delete'),
  bot: Type.Object({ user_id: Type.Integer() }),
})

export const groupAddEvent = event('user_group', { op: Type.Literal('add'), group: userGroup })
export const groupMembersEvent = event('user_group', {
  op: Type.Enum(['add_members', 'remove_members']),
  group_id: Type.Integer(),
  user_ids: Type.Array(Type.Integer()),
})
export const groupSubgroupsEvent = event('user_group', {
  op: Type.Enum(['add_subgroups', 'remove_subgroups']),
  group_id: Type.Integer(),
  direct_subgroup_ids: Type.Array(Type.Integer()),
})
export const groupUpdateEvent = event('user_group', {
  op: Type.Literal('update'),
  group_id: Type.Integer(),
  data: groupChange,
})
/** Sent on deactivation to clients that do not support deactivated groups. */
export const groupRemoveEvent = event('user_group', { op: Type.Literal('remove'), group_id: Type.Integer() })

export const realmUpdateEvent = event('realm', {
  op: Type.Literal('update'),
  property: Type.String(),
  value: Type.Union([Type.Boolean(), Type.Integer(), Type.String(), Type.Null()]),
})
export const realmUpdateDictEvent = event('realm', {
  op: Type.Literal('update_dict'),
  property: Type.String(),
  data: Type.Record(Type.String(), Type.Unknown()),
})

export const realmDeactivatedEvent = event('realm', { op: Type.Literal('deactivated'), realm_id: Type.Integer() })

export const profileFieldsEvent = event('custom_profile_fields', { fields: Type.Array(profileField) })
export const linkifiersEvent = event('realm_linkifiers', { realm_linkifiers: Type.Array(linkifier) })
export const playgroundsEvent = event('realm_playgrounds', { realm_playgrounds: Type.Array(playground) })

export const reactionEvent = event('reaction', {
  op: Type.Enum(['add', 'remove']),
  ...reaction.properties,
  message_id: Type.Integer(),
  user: Type.Object({ user_id: Type.Integer(), email: Type.String(), full_name: Type.String() }),
})

export const emojiEvent = event('realm_emoji', { op: Type.Literal('update'), realm_emoji: customEmojiMap })

export const exportConsentEvent = event('realm_export_consent', {
  user_id: Type.Integer(),
  consented: Type.Boolean(),
})
export const exportEvent = event('realm_export', { exports: Type.Array(realmExport) })

const spaceUsed = { upload_space_used: Type.Integer() }
export const attachmentEvent = event('attachment', { op: Type.Enum(['add', 'update']), attachment, ...spaceUsed })
export const attachmentRemoveEvent = event('attachment', {
  op: Type.Literal('remove'),
  attachment: Type.Object({ id: Type.Integer() }),
  ...spaceUsed,
})

export const snippetEvent = event('saved_snippets', {
  op: Type.Enum(['add', 'update']),
  saved_snippet: savedSnippet,
})
export const snippetRemoveEvent = event('saved_snippets', {
  op: Type.Literal('remove'),
  saved_snippet_id: Type.Integer(),
})

/** A message was edited, or moved with other messages, or both. */
export const updateMessageEvent = event('update_message', {
  user_id: nullable(Type.Integer()),
  rendering_only: Type.Boolean(),
  /** Of a message that is sent in parts: whether more will follow. */
  streaming: Type.Optional(Type.Boolean()),
  message_id: Type.Integer(),
  message_ids: Type.Array(Type.Integer()),
  flags,
  edit_timestamp: Type.Integer(),
  stream_id: Type.Optional(Type.Integer()),
  stream_name: Type.Optional(Type.String()),
  orig_content: Type.Optional(Type.String()),
  orig_rendered_content: Type.Optional(Type.String()),
  content: Type.Optional(Type.String()),
  rendered_content: Type.Optional(Type.String()),
  is_me_message: Type.Optional(Type.Boolean()),
  propagate_mode: Type.Optional(Type.Enum([...propagateModes])),
  orig_subject: Type.Optional(Type.String()),
  subject: Type.Optional(Type.String()),
  topic_links: Type.Optional(Type.Array(Type.Object({ text: Type.String(), url: Type.String() }))),
  new_stream_id: Type.Optional(Type.Integer()),
  /** A large move has several events, one for each part of the messages. This is how many have moved so far. */
  move_progress: Type.Optional(Type.Object({ moved: Type.Integer(), total: Type.Integer() })),
})

/** With `message_ids`; older clients get one event per message, with `message_id`. */
export const deleteMessageEvent = event('delete_message', {
  message_type: Type.Enum(['stream', 'private']),
  message_ids: Type.Optional(Type.Array(Type.Integer())),
  message_id: Type.Optional(Type.Integer()),
  stream_id: Type.Optional(Type.Integer()),
  topic: Type.Optional(Type.String()),
})

export const userTopicEvent = event('user_topic', {
  stream_id: Type.Integer(),
  topic_name: Type.String(),
  last_updated: Type.Integer(),
  visibility_policy: Type.Enum([0, 1, 2, 3]),
})
/** The older format: all muted topics, as [channel, topic, time]. */
export const mutedTopicsEvent = event('muted_topics', {
  muted_topics: Type.Array(Type.Tuple([Type.String(), Type.String(), Type.Integer()])),
})

export const firstMessageEvent = event('stream', {
  op: Type.Literal('update'),
  stream_id: Type.Integer(),
  name: Type.String(),
  property: Type.Literal('first_message_id'),
  value: nullable(Type.Integer()),
})

export const draftsAddEvent = event('drafts', { op: Type.Literal('add'), drafts: Type.Array(draft) })
export const draftUpdateEvent = event('drafts', { op: Type.Literal('update'), draft })
export const draftRemoveEvent = event('drafts', { op: Type.Literal('remove'), draft_id: Type.Integer() })

export const scheduledAddEvent = event('scheduled_messages', {
  op: Type.Literal('add'),
  scheduled_messages: Type.Array(scheduledMessage),
})
export const scheduledUpdateEvent = event('scheduled_messages', {
  op: Type.Literal('update'),
  scheduled_message: scheduledMessage,
})
export const scheduledRemoveEvent = event('scheduled_messages', {
  op: Type.Literal('remove'),
  scheduled_message_id: Type.Integer(),
})

/** Load them again: who may read which of them differs. */
export const channelPinsEvent = event('channel_pins', { stream_id: Type.Integer() })

export const reminderAddEvent = event('reminders', { op: Type.Literal('add'), reminders: Type.Array(reminder) })
export const reminderRemoveEvent = event('reminders', { op: Type.Literal('remove'), reminder_id: Type.Integer() })

export const submessageEvent = event('submessage', {
  message_id: Type.Integer(),
  submessage_id: Type.Integer(),
  sender_id: Type.Integer(),
  msg_type: Type.String(),
  content: Type.String(),
})

export const editTypingEvent = event('typing_edit_message', {
  op: startOrStop,
  sender_id: Type.Integer(),
  message_id: Type.Integer(),
  recipient: Type.Union([
    Type.Object({ type: Type.Literal('channel'), channel_id: Type.Integer(), topic: Type.String() }),
    Type.Object({ type: Type.Literal('direct'), user_ids: Type.Array(Type.Integer()) }),
  ]),
})

/** The list of invitations changed; clients that show it fetch it again. */
export const invitesChangedEvent = event('invites_changed', {})

/** All events that a queue can deliver. */
export const queueEvent = Type.Union([
  heartbeatEvent,
  restartEvent,
  serverMaintenanceEvent,
  messageEvent,
  directTypingEvent,
  channelTypingEvent,
  agentStopEvent,
  ephemeralMessageEvent,
  flagsAddedEvent,
  flagsRemovedEvent,
  presenceEvent,
  channelCreateEvent,
  channelDeleteEvent,
  channelUpdateEvent,
  subscriptionAddEvent,
  subscriptionRemoveEvent,
  subscriptionUpdateEvent,
  peerEvent,
  defaultChannelsEvent,
  defaultChannelGroupsEvent,
  folderAddEvent,
  folderUpdateEvent,
  folderOrderEvent,
  userAddEvent,
  userUpdateEvent,
  userRemoveEvent,
  userSettingsEvent,
  displaySettingsEvent,
  notificationSettingsEvent,
  settingsDefaultsEvent,
  mutedUsersEvent,
  alertWordsEvent,
  userStatusEvent,
  domainChangedEvent,
  domainRemovedEvent,
  botAddEvent,
  botUpdateEvent,
  botDeleteEvent,
  groupAddEvent,
  groupMembersEvent,
  groupSubgroupsEvent,
  groupUpdateEvent,
  groupRemoveEvent,
  realmUpdateEvent,
  realmUpdateDictEvent,
  realmDeactivatedEvent,
  profileFieldsEvent,
  linkifiersEvent,
  playgroundsEvent,
  reactionEvent,
  emojiEvent,
  attachmentEvent,
  attachmentRemoveEvent,
  exportEvent,
  exportConsentEvent,
  snippetEvent,
  snippetRemoveEvent,
  draftsAddEvent,
  draftUpdateEvent,
  draftRemoveEvent,
  scheduledAddEvent,
  scheduledUpdateEvent,
  scheduledRemoveEvent,
  channelPinsEvent,
  reminderAddEvent,
  reminderRemoveEvent,
  submessageEvent,
  editTypingEvent,
  updateMessageEvent,
  deleteMessageEvent,
  userTopicEvent,
  mutedTopicsEvent,
  firstMessageEvent,
  invitesChangedEvent,
])
export type QueueEvent = Static<typeof queueEvent>
export type EventType = QueueEvent['type']

type WithoutId<E> = E extends unknown ? Omit<E, 'id'> : never
/** An event as actions emit it; the log assigns the id. `message` events have a way of their own. */
export type ServerEvent = WithoutId<Exclude<QueueEvent, { type: 'message' | 'heartbeat' }>>
