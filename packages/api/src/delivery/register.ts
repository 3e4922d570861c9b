import { type Static, type TOptional, type TSchema, Type } from 'typebox'
import { byId, groupSettingValue, nullable } from '../common.ts'
import { channel, channelFields } from '../conversations/channels.ts'
import { defaultChannelGroup } from '../conversations/default-channel-groups.ts'
import { draft } from '../conversations/drafts.ts'
import { reminder } from '../conversations/reminders.ts'
import { scheduledMessage } from '../conversations/scheduled.ts'
import { subscription } from '../conversations/subscriptions.ts'
import { customEmojiMap } from '../organization/emoji.ts'
import { channelFolder } from '../organization/folders.ts'
import { userGroup } from '../organization/groups.ts'
import { linkifier, playground } from '../organization/linkifiers.ts'
import { presences } from '../people/presence.ts'
import { profileField } from '../people/profile-fields.ts'
import { savedSnippet } from '../people/snippets.ts'
import { userStatus } from '../people/status.ts'
import { crossRealmBot, listedUser } from '../people/users.ts'
import { type RealmGroupSetting, realmGroupSettings } from '../permission-settings.ts'
import { notificationSounds, realmSettings, type SettingDeclaration, userSettings } from '../settings.ts'
import { bot } from './bots.ts'

const text = Type.String()
const int = Type.Integer()
const bool = Type.Boolean()
const list = Type.Array(Type.Unknown())
const idList = Type.Array(int)

type Declarations = Record<string, SettingDeclaration>
type Schemas<D extends Declarations, Prefix extends string> = {
  [Name in keyof D & string as `${Prefix}${Name}`]: D[Name]['schema']
}

/** The settings as fields of an object, with a prefix before each name. */
function schemasOf<D extends Declarations, Prefix extends string>(settings: D, prefix: Prefix): Schemas<D, Prefix> {
  const entries = Object.entries(settings).map(([name, { schema }]) => [prefix + name, schema])
  return Object.fromEntries(entries)
}

type GroupFields = { [Name in RealmGroupSetting as `realm_${Name}`]: typeof groupSettingValue }
const groupFields = Object.fromEntries(
  Object.keys(realmGroupSettings).map((name) => [`realm_${name}`, groupSettingValue]),
) as GroupFields

/** The settings that a deprecated event also carries. */
function legacyFields(form: NonNullable<SettingDeclaration['legacy']>): Record<string, TSchema> {
  const carried = Object.entries(userSettings as Declarations).filter(([, { legacy }]) => legacy === form)
  return schemasOf(Object.fromEntries(carried), '')
}

export const unreadMessages = Type.Object({
  count: int,
  pms: Type.Array(Type.Object({ other_user_id: int, sender_id: int, unread_message_ids: idList })),
  streams: Type.Array(Type.Object({ stream_id: int, topic: text, unread_message_ids: idList })),
  huddles: Type.Array(Type.Object({ user_ids_string: text, unread_message_ids: idList })),
  mentions: idList,
  old_unreads_missing: bool,
})
export type UnreadMessages = Static<typeof unreadMessages>

export const userSettingsObject = Type.Object({
  ...schemasOf(userSettings, ''),
  timezone: text,
  emojiset_choices: Type.Array(Type.Object({ key: text, text })),
  available_notification_sounds: Type.Array(Type.Enum([...notificationSounds])),
})
const { timezone: _, ...defaultsFields } = userSettingsObject.properties

const neverSubscribed = Type.Object({
  ...channelFields,
  subscribers: Type.Optional(idList),
  partial_subscribers: Type.Optional(idList),
})
const named = Type.Object({ name: text, id: int })

/** Which groups a permission accepts. */
const permissionSetting = Type.Object({
  require_system_group: bool,
  allow_internet_group: bool,
  allow_nobody_group: bool,
  allow_everyone_group: bool,
  default_group_name: text,
  default_for_system_groups: nullable(text),
  allowed_system_groups: Type.Array(text),
})
export type PermissionSetting = Static<typeof permissionSetting>

/** The parts of the snapshot, by their name in `fetch_event_types`. */
export const registerParts = {
  alert_words: { alert_words: Type.Array(text) },
  custom_profile_fields: {
    custom_profile_fields: Type.Array(profileField),
    custom_profile_field_types: Type.Record(text, Type.Object({ id: int, name: text })),
  },
  onboarding_steps: { onboarding_steps: list, navigation_tour_video_url: nullable(text) },
  message: { max_message_id: int },
  saved_snippets: { saved_snippets: Type.Array(savedSnippet) },
  drafts: { drafts: Type.Array(draft) },
  scheduled_messages: { scheduled_messages: Type.Array(scheduledMessage) },
  reminders: { reminders: Type.Array(reminder) },
  muted_topics: { muted_topics: Type.Array(Type.Tuple([text, text, int])) },
  muted_users: { muted_users: Type.Array(Type.Object({ id: int, timestamp: int })) },
  presence: { presences, presence_last_update_id: int, server_timestamp: Type.Number() },
  realm_user_groups: { realm_user_groups: Type.Array(userGroup) },
  realm: {
    ...schemasOf(realmSettings, 'realm_'),
    ...groupFields,
    realm_name: text,
    realm_description: text,
    realm_allow_edit_history: bool,
    realm_empty_topic_display_name: text,
    realm_push_notifications_enabled: bool,
    realm_push_notifications_enabled_end_timestamp: nullable(int),
    realm_plan_type: int,
    realm_is_zephyr_mirror_realm: bool,
    realm_authentication_methods: Type.Record(text, Type.Object({ enabled: bool, available: bool })),
    realm_email_auth_enabled: bool,
    realm_password_auth_enabled: bool,
    realm_presence_disabled: bool,
    realm_icon_url: text,
    realm_icon_source: text,
    realm_logo_url: text,
    realm_logo_source: text,
    realm_night_logo_url: text,
    realm_night_logo_source: text,
    realm_url: text,
    realm_uri: text,
    realm_bot_domain: text,
    realm_date_created: int,
    realm_upload_quota_mib: nullable(int),
    realm_available_video_chat_providers: Type.Record(text, named),
    realm_default_external_accounts: Type.Record(
      text,
      Type.Object({ name: text, text, hint: text, url_pattern: text }),
    ),
    realm_create_public_stream_policy: int,
    realm_create_private_stream_policy: int,
    realm_create_web_public_stream_policy: int,
    realm_wildcard_mention_policy: int,
    giphy_rating_options: Type.Record(text, named),
    max_message_length: int,
    max_topic_length: int,
    max_stream_name_length: int,
    max_stream_description_length: int,
    max_channel_folder_name_length: int,
    max_channel_folder_description_length: int,
    max_file_upload_size_mib: int,
    max_avatar_file_size_mib: int,
    max_icon_file_size_mib: int,
    max_logo_file_size_mib: int,
    password_min_length: int,
    password_max_length: int,
    password_min_guesses: int,
    event_queue_longpoll_timeout_seconds: int,
    server_typing_started_wait_period_milliseconds: int,
    server_typing_stopped_wait_period_milliseconds: int,
    server_typing_started_expiry_period_milliseconds: int,
    server_presence_ping_interval_seconds: int,
    server_presence_offline_threshold_seconds: int,
    server_generation: int,
    server_emoji_data_url: text,
    server_thumbnail_formats: Type.Array(
      Type.Object({ name: text, max_width: int, max_height: int, format: text, animated: bool }),
    ),
    server_inline_image_preview: bool,
    server_inline_url_embed_preview: bool,
    server_avatar_changes_disabled: bool,
    server_name_changes_disabled: bool,
    server_web_public_streams_enabled: bool,
    server_needs_upgrade: bool,
    server_jitsi_server_url: nullable(text),
    jitsi_server_url: nullable(text),
    server_can_summarize_topics: bool,
    server_min_deactivated_realm_deletion_days: nullable(int),
    server_max_deactivated_realm_deletion_days: nullable(int),
    server_supported_permission_settings: Type.Record(text, Type.Record(text, permissionSetting)),
    server_sends_email_notifications: bool,
    settings_send_digest_emails: bool,
    development_environment: bool,
    zulip_plan_is_not_limited: bool,
    upgrade_text_for_wide_organization_logo: text,
  },
  realm_user_settings_defaults: { realm_user_settings_defaults: Type.Object(defaultsFields) },
  realm_domains: { realm_domains: Type.Array(Type.Object({ domain: text, allow_subdomains: bool })) },
  realm_emoji: { realm_emoji: customEmojiMap },
  realm_linkifiers: { realm_linkifiers: Type.Array(linkifier) },
  realm_filters: { realm_filters: list },
  realm_playgrounds: { realm_playgrounds: Type.Array(playground) },
  realm_billing: { realm_billing: Type.Object({ has_pending_sponsorship_request: bool }) },
  realm_user: {
    realm_users: Type.Array(listedUser),
    realm_non_active_users: Type.Array(listedUser),
    cross_realm_bots: Type.Array(crossRealmBot),
    user_id: int,
    email: text,
    delivery_email: text,
    full_name: text,
    avatar_source: text,
    avatar_url: text,
    avatar_url_medium: text,
    is_admin: bool,
    is_owner: bool,
    is_moderator: bool,
    is_guest: bool,
    can_create_streams: bool,
    can_create_public_streams: bool,
    can_create_private_streams: bool,
    can_create_web_public_streams: bool,
    can_invite_others_to_realm: bool,
  },
  realm_bot: { realm_bots: Type.Array(bot) },
  realm_embedded_bots: { realm_embedded_bots: list },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: list },
  recent_private_conversations: {
    recent_private_conversations: Type.Array(Type.Object({ user_ids: idList, max_message_id: int })),
  },
  subscription: {
    subscriptions: Type.Array(subscription),
    unsubscribed: Type.Array(subscription),
    never_subscribed: Type.Array(neverSubscribed),
  },
  /** Requires `message` as well. */
  update_message_flags: { unread_msgs: unreadMessages },
  starred_messages: { starred_messages: idList },
  stream: { streams: Type.Array(channel) },
  channel_folders: { channel_folders: Type.Array(channelFolder) },
  default_streams: { realm_default_streams: idList },
  default_stream_groups: { realm_default_stream_groups: Type.Array(defaultChannelGroup) },
  stop_words: { stop_words: Type.Array(text) },
  user_settings: { user_settings: userSettingsObject },
  /** The settings at the top level, for clients without `user_settings_object`. */
  update_display_settings: { ...legacyFields('display'), timezone: text, emojiset_choices: list },
  update_global_notifications: { ...legacyFields('notifications'), available_notification_sounds: list },
  user_status: { user_status: byId(userStatus) },
  user_topic: {
    user_topics: Type.Array(
      Type.Object({ stream_id: int, topic_name: text, last_updated: int, visibility_policy: Type.Enum([0, 1, 2, 3]) }),
    ),
  },
  video_calls: { has_zoom_token: bool },
  giphy: { giphy_api_key: text },
  /** Why nothing can be changed at present; null: it can. */
  server_maintenance: { server_maintenance: nullable(text) },
}
export type RegisterPart = keyof typeof registerParts

type Parts = typeof registerParts
type FieldsOf<Part> = Part extends unknown
  ? { [Name in keyof Part as string extends Name ? never : Name]: Part[Name] }
  : never
type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never
type AllFields = Both<FieldsOf<Parts[RegisterPart]>>
type Optionally<Fields> = { [Name in keyof Fields]: Fields[Name] extends TSchema ? TOptional<Fields[Name]> : never }

const optional = Object.values(registerParts)
  .flatMap((part) => Object.entries(part as Record<string, TSchema>))
  .map(([name, schema]) => [name, Type.Optional(schema)] as const)

/** The whole snapshot. Every field may be absent, because the client chooses the parts. */
export const registerState = Object.fromEntries(optional) as Optionally<AllFields>
