import assert from 'node:assert/strict'
import { test } from 'node:test'
import { register } from '@parley/api/delivery/queues'
import { newWorld } from '../../testing/world.ts'

const always =
  'queue_id last_event_id idle_queue_timeout_secs zulip_version zulip_feature_level zulip_merge_base result msg'

/** The fields of each part of the response at this feature level, listed independently of the schema. */
const promised = {
  alert_words: 'alert_words',
  custom_profile_fields: 'custom_profile_fields custom_profile_field_types',
  onboarding_steps: 'onboarding_steps navigation_tour_video_url',
  message: 'max_message_id',
  saved_snippets: 'saved_snippets',
  drafts: 'drafts',
  scheduled_messages: 'scheduled_messages',
  reminders: 'reminders',
  muted_topics: 'muted_topics',
  muted_users: 'muted_users',
  presence: 'presences presence_last_update_id server_timestamp',
  realm_user_groups: 'realm_user_groups',
  realm: `
    development_environment event_queue_longpoll_timeout_seconds giphy_rating_options jitsi_server_url
    max_avatar_file_size_mib max_channel_folder_description_length max_channel_folder_name_length
    max_file_upload_size_mib max_icon_file_size_mib max_logo_file_size_mib max_message_length
    max_stream_description_length max_stream_name_length max_topic_length password_max_length password_min_guesses
    password_min_length realm_allow_edit_history realm_allow_message_editing realm_authentication_methods
    realm_available_video_chat_providers realm_avatar_changes_disabled realm_bot_domain
    realm_can_access_all_users_group realm_can_add_custom_emoji_group realm_can_add_subscribers_group
    realm_can_create_bots_group realm_can_create_groups realm_can_create_private_channel_group
    realm_can_create_public_channel_group realm_can_create_web_public_channel_group
    realm_can_create_write_only_bots_group realm_can_delete_any_message_group realm_can_delete_own_message_group
    realm_can_invite_users_group realm_can_manage_all_groups realm_can_manage_billing_group
    realm_can_mention_many_users_group realm_can_move_messages_between_channels_group
    realm_can_move_messages_between_topics_group realm_can_resolve_topics_group realm_can_summarize_topics_group
    realm_create_multiuse_invite_group realm_create_private_stream_policy realm_create_public_stream_policy
    realm_create_web_public_stream_policy realm_date_created realm_default_code_block_language
    realm_default_external_accounts realm_default_language realm_description realm_digest_emails_enabled
    realm_digest_weekday realm_direct_message_initiator_group realm_direct_message_permission_group
    realm_disallow_disposable_email_addresses realm_email_auth_enabled realm_email_changes_disabled
    realm_emails_restricted_to_domains realm_empty_topic_display_name realm_enable_guest_user_dm_warning
    realm_enable_guest_user_indicator realm_enable_read_receipts realm_enable_spectator_access realm_giphy_rating
    realm_icon_source realm_icon_url realm_inline_image_preview realm_inline_url_embed_preview realm_preview_private_conversations realm_preview_domains_allowed
    realm_preview_domains_denied realm_invite_required
    realm_is_zephyr_mirror_realm realm_jitsi_server_url realm_logo_source realm_logo_url realm_mandatory_topics
    realm_message_content_allowed_in_email_notifications realm_message_content_delete_limit_seconds
    realm_message_content_edit_limit_seconds realm_message_edit_history_visibility_policy
    realm_message_retention_days realm_moderation_request_channel_id
    realm_move_messages_between_streams_limit_seconds realm_move_messages_within_stream_limit_seconds realm_name
    realm_name_changes_disabled realm_new_stream_announcements_stream_id realm_night_logo_source
    realm_night_logo_url realm_org_type realm_password_auth_enabled realm_plan_type realm_presence_disabled
    realm_push_notifications_enabled realm_push_notifications_enabled_end_timestamp realm_require_unique_names
    realm_second_factor_required_from realm_send_welcome_emails realm_signup_announcements_stream_id realm_upload_quota_mib realm_uri realm_url
    realm_video_chat_provider realm_waiting_period_threshold realm_want_advertise_in_communities_directory
    realm_wildcard_mention_policy realm_zulip_update_announcements_stream_id server_avatar_changes_disabled
    server_can_summarize_topics server_emoji_data_url server_generation server_inline_image_preview
    server_inline_url_embed_preview server_jitsi_server_url server_max_deactivated_realm_deletion_days
    server_min_deactivated_realm_deletion_days server_name_changes_disabled server_needs_upgrade
    server_presence_offline_threshold_seconds server_presence_ping_interval_seconds server_sends_email_notifications
    server_supported_permission_settings server_thumbnail_formats server_typing_started_expiry_period_milliseconds
    server_typing_started_wait_period_milliseconds server_typing_stopped_wait_period_milliseconds
    server_web_public_streams_enabled settings_send_digest_emails upgrade_text_for_wide_organization_logo
    zulip_plan_is_not_limited`,
  realm_user_settings_defaults: 'realm_user_settings_defaults',
  realm_domains: 'realm_domains',
  realm_emoji: 'realm_emoji',
  realm_linkifiers: 'realm_linkifiers',
  realm_filters: 'realm_filters',
  realm_playgrounds: 'realm_playgrounds',
  realm_billing: 'realm_billing',
  realm_user: `
    realm_users realm_non_active_users cross_realm_bots user_id email delivery_email full_name avatar_source
    avatar_url avatar_url_medium is_admin is_owner is_moderator is_guest can_create_streams
    can_create_public_streams can_create_private_streams can_create_web_public_streams can_invite_others_to_realm`,
  realm_bot: 'realm_bots',
  realm_embedded_bots: 'realm_embedded_bots',
  realm_incoming_webhook_bots: 'realm_incoming_webhook_bots',
  recent_private_conversations: 'recent_private_conversations',
  subscription: 'subscriptions unsubscribed never_subscribed',
  update_message_flags: 'unread_msgs',
  starred_messages: 'starred_messages',
  stream: 'streams',
  channel_folders: 'channel_folders',
  default_streams: 'realm_default_streams',
  default_stream_groups: 'realm_default_stream_groups',
  stop_words: 'stop_words',
  user_settings: 'user_settings',
  update_display_settings: `
    color_scheme default_language demote_inactive_streams emojiset enable_drafts_synchronization enter_sends
    fluid_layout_width high_contrast_mode left_side_userlist starred_message_counts translate_emoticons
    twenty_four_hour_time web_home_view timezone emojiset_choices`,
  update_global_notifications: `
    desktop_icon_count_display email_notifications_batching_period_seconds enable_desktop_notifications
    enable_digest_emails enable_login_emails enable_marketing_emails enable_offline_email_notifications
    enable_offline_push_notifications enable_online_push_notifications enable_sounds
    enable_stream_audible_notifications enable_stream_desktop_notifications enable_stream_email_notifications
    enable_stream_push_notifications message_content_in_email_notifications notification_sound
    pm_content_in_desktop_notifications presence_enabled realm_name_in_email_notifications_policy
    wildcard_mentions_notify available_notification_sounds`,
  user_status: 'user_status',
  user_topic: 'user_topics',
  video_calls: 'has_zoom_token',
  giphy: 'giphy_api_key',
  server_maintenance: 'server_maintenance',
}

const names = (text: string) => text.trim().split(/\s+/).sort()

for (const who of ['olga', 'adam', 'ann', 'gus'] as const)
  test(`each part of a registration has all its fields and no others (${who})`, async () => {
    const viewer = (await newWorld())[who]
    for (const [part, fields] of Object.entries(promised)) {
      // Unread messages are included only together with messages.
      const parts = part === 'update_message_flags' ? [part, 'message'] : [part]
      const also = parts.length > 1 ? promised.message : ''
      const answer = await viewer.does(register, { fetch_event_types: parts })
      assert.deepEqual(Object.keys(answer).sort(), names(`${always} ${fields} ${also}`), part)
    }
  })

test('a registration for all parts has every field, and top-level settings only for older clients', async () => {
  const { ann } = await newWorld()
  const capabilities = { notification_settings_null: true, user_settings_object: true }
  const older = names(`${promised.update_display_settings} ${promised.update_global_notifications}`)
  const all = [...new Set(names(`${always} ${Object.values(promised).join(' ')}`))]
  assert.deepEqual(Object.keys(await ann.does(register)).sort(), all)
  assert.deepEqual(
    Object.keys(await ann.does(register, { client_capabilities: capabilities })).sort(),
    all.filter((name) => !older.includes(name)),
  )
})

test('an empty list of parts returns only the fields that are always included', async () => {
  const { ann } = await newWorld()
  assert.deepEqual(Object.keys(await ann.does(register, { fetch_event_types: [] })).sort(), names(always))
})
