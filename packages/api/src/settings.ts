import { type Static, type TSchema, Type } from 'typebox'
import { keyword, nullable, shortText } from './common.ts'

export interface SettingDeclaration<S extends TSchema = TSchema> {
  schema: S
  default: unknown
  /** The deprecated event, and the top-level group of the `POST /register` response, that also carry this setting. */
  legacy?: 'display' | 'notifications'
}
/** The video chat provider that organizations can choose only if the operator has configured it. */
export const bigBlueButton = 4

type Legacy = SettingDeclaration['legacy']

function setting<S extends TSchema>(schema: S, value: unknown, legacy?: Legacy): SettingDeclaration<S> {
  return { schema, default: value, ...(legacy && { legacy }) }
}
const flag = (value: boolean, legacy?: Legacy) => setting(Type.Boolean(), value, legacy)
const oneOf = <const Values extends (number | string)[]>(
  values: readonly [...Values],
  value: Values[number],
  legacy?: Legacy,
) => setting(Type.Enum(values), value, legacy)
const text = (value: string, legacy?: Legacy) => setting(keyword, value, legacy)
const seconds = (value: number) => setting(nullable(Type.Integer()), value)
const channelId = setting(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER }), -1)

/** The notification sounds of clients, by file name. */
export const notificationSounds = [
  'ascend',
  'beep_boop',
  'bink',
  'bright',
  'brlip',
  'chime',
  'deep tom',
  'ding',
  'double tap',
  'down',
  'dry bongos',
  'dutdut',
  'fast ascend',
  'flute',
  'friendly',
  'kick roll',
  'loud tintong',
  'metallic snare',
  'pan',
  'shaker',
  'simple',
  'stairs',
  'subtle',
  'swish',
  'tintong',
  'up',
  'wood block',
  'zaping',
  'zing',
  'zulip',
] as const

/** The personal settings of a user, except `timezone`. */
export const userSettings = {
  allow_private_data_export: flag(false),
  automatically_follow_topics_policy: oneOf([1, 2, 3, 4], 3),
  automatically_follow_topics_where_mentioned: flag(true),
  automatically_unmute_topics_in_muted_streams_policy: oneOf([1, 2, 3, 4], 2),
  color_scheme: oneOf([1, 2, 3], 1, 'display'),
  default_language: text('en', 'display'),
  demote_inactive_streams: oneOf([1, 2, 3], 1, 'display'),
  desktop_icon_count_display: oneOf([1, 2, 3, 4], 1, 'notifications'),
  display_emoji_reaction_users: flag(true),
  email_address_visibility: oneOf([1, 2, 3, 4, 5], 1),
  email_notifications_batching_period_seconds: setting(
    Type.Integer({ minimum: 1, maximum: 604_800 }),
    120,
    'notifications',
  ),
  emojiset: oneOf(['google', 'twitter', 'text'], 'google', 'display'),
  enable_desktop_notifications: flag(true, 'notifications'),
  enable_digest_emails: flag(true, 'notifications'),
  enable_drafts_synchronization: flag(true, 'display'),
  enable_followed_topic_audible_notifications: flag(true),
  enable_followed_topic_desktop_notifications: flag(true),
  enable_followed_topic_email_notifications: flag(true),
  enable_followed_topic_push_notifications: flag(true),
  enable_followed_topic_wildcard_mentions_notify: flag(true),
  enable_login_emails: flag(true, 'notifications'),
  enable_marketing_emails: flag(true, 'notifications'),
  enable_offline_email_notifications: flag(true, 'notifications'),
  enable_offline_push_notifications: flag(true, 'notifications'),
  enable_online_push_notifications: flag(true, 'notifications'),
  enable_sounds: flag(true, 'notifications'),
  enable_stream_audible_notifications: flag(false, 'notifications'),
  enable_stream_desktop_notifications: flag(false, 'notifications'),
  enable_stream_email_notifications: flag(false, 'notifications'),
  enable_stream_push_notifications: flag(false, 'notifications'),
  enter_sends: flag(false, 'display'),
  fluid_layout_width: flag(false, 'display'),
  hide_ai_features: flag(false),
  high_contrast_mode: flag(false, 'display'),
  left_side_userlist: flag(false, 'display'),
  message_content_in_email_notifications: flag(true, 'notifications'),
  notification_vips: setting(
    Type.String({
      maxLength: 800,
      description:
        'The ids of at most 50 users whose messages notify during quiet hours and pauses, separated by commas.',
    }),
    '',
  ),
  notifications_paused_until: setting(
    Type.Integer({ minimum: 0, maximum: 9_999_999_999, description: 'UNIX time; 0: not paused.' }),
    0,
  ),
  notification_sound: oneOf([...notificationSounds, 'none'], 'zulip', 'notifications'),
  pm_content_in_desktop_notifications: flag(true, 'notifications'),
  presence_enabled: flag(true, 'notifications'),
  quiet_hours: setting(
    Type.String({
      maxLength: 100,
      description:
        'When nothing disturbs the user, in their time zone: seven periods from Monday on, such as `19:00-08:00` or nothing, separated by commas.',
    }),
    '',
  ),
  realm_name_in_email_notifications_policy: oneOf([1, 2, 3], 1, 'notifications'),
  receives_typing_notifications: flag(true),
  send_private_typing_notifications: flag(true),
  send_read_receipts: flag(true),
  send_stream_typing_notifications: flag(true),
  show_notification_pauses: flag(true),
  starred_message_counts: flag(true, 'display'),
  translate_emoticons: flag(false, 'display'),
  twenty_four_hour_time: flag(false, 'display'),
  user_list_style: oneOf([1, 2, 3], 3),
  wildcard_mentions_notify: flag(true, 'notifications'),
  web_animate_image_previews: oneOf(['always', 'on_hover', 'never'], 'on_hover'),
  web_channel_default_view: oneOf([1, 2], 1),
  web_clock: oneOf(['language', 'setting'], 'language'),
  web_escape_navigates_to_home_view: flag(true),
  web_font_size_px: setting(Type.Integer({ minimum: 8, maximum: 40 }), 16),
  web_home_view: oneOf(['inbox', 'recent_topics', 'all_messages'], 'inbox', 'display'),
  web_line_height_percent: setting(Type.Integer({ minimum: 80, maximum: 250 }), 140),
  web_mark_read_on_scroll_policy: oneOf([1, 2, 3], 1),
  web_navigate_to_sent_message: flag(true),
  web_sidebar: setting(
    Type.String({ maxLength: 20_000, description: 'How the web client arranges channels, as JSON.' }),
    '',
  ),
  web_stream_unreads_count_display_policy: oneOf([1, 2, 3], 2),
  web_suggest_update_timezone: flag(true),
} satisfies Record<string, SettingDeclaration>

function domainList(description: string) {
  return setting(Type.String({ maxLength: 2000, description: `${description} Separated by spaces.` }), '')
}

/** The settings of an organization, except those whose value is a group. */
export const realmSettings = {
  allow_message_editing: flag(true),
  message_content_edit_limit_seconds: seconds(600),
  message_content_delete_limit_seconds: seconds(600),
  move_messages_within_stream_limit_seconds: seconds(604_800),
  move_messages_between_streams_limit_seconds: seconds(604_800),
  message_edit_history_visibility_policy: oneOf(['all', 'moves', 'none'], 'all'),
  mandatory_topics: flag(false),
  message_retention_days: setting(Type.Integer(), -1),
  default_language: text('en'),
  default_code_block_language: setting(Type.String({ maxLength: 40 }), ''),
  digest_emails_enabled: flag(false),
  digest_weekday: setting(Type.Integer({ minimum: 0, maximum: 6 }), 1),
  disallow_disposable_email_addresses: flag(true),
  email_changes_disabled: flag(false),
  name_changes_disabled: flag(false),
  avatar_changes_disabled: flag(false),
  emails_restricted_to_domains: flag(false),
  enable_guest_user_indicator: flag(true),
  enable_guest_user_dm_warning: flag(true),
  enable_read_receipts: flag(false),
  enable_spectator_access: flag(false),
  giphy_rating: oneOf([0, 1, 2, 3, 4], 1),
  inline_image_preview: flag(true),
  inline_url_embed_preview: flag(false),
  preview_private_conversations: flag(false),
  preview_domains_allowed: domainList('Only pages of these domains are previewed; empty: of all.'),
  preview_domains_denied: domainList('Pages of these domains are not previewed.'),
  invite_required: flag(true),
  jitsi_server_url: setting(nullable(shortText), null),
  message_content_allowed_in_email_notifications: flag(true),
  require_unique_names: flag(false),
  second_factor_required_from: setting(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 40,
      description: 'When two-step sign-in becomes a duty, in seconds since 1970. 0: never.',
    }),
    0,
  ),
  send_welcome_emails: flag(true),
  video_chat_provider: oneOf([0, 1, bigBlueButton], 1),
  waiting_period_threshold: setting(Type.Integer({ minimum: 0, maximum: 36_500 }), 0),
  want_advertise_in_communities_directory: flag(false),
  org_type: oneOf([0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000], 0),
  moderation_request_channel_id: channelId,
  new_stream_announcements_stream_id: channelId,
  signup_announcements_stream_id: channelId,
  zulip_update_announcements_stream_id: channelId,
} satisfies Record<string, SettingDeclaration>

type ValuesOf<Declared extends Record<string, SettingDeclaration>> = {
  [Name in keyof Declared]: Static<Declared[Name]['schema']>
}
/** A value for every setting of a user. */
export type UserSettings = ValuesOf<typeof userSettings>
/** A value for every setting of an organization. */
export type RealmSettings = ValuesOf<typeof realmSettings>

export function defaultsOf<Declared extends Record<string, SettingDeclaration>>(
  declared: Declared,
): ValuesOf<Declared> {
  const defaults = Object.entries(declared).map(([name, { default: value }]) => [name, value])
  return Object.fromEntries(defaults) as ValuesOf<Declared>
}
