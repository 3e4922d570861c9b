import { maxMessageLength, maxTopicLength } from '@parley/api/common'
import { maxUploadMegabytes, thumbnailFormats } from '@parley/api/conversations/uploads'
import { nameLimits } from '@parley/api/limits'
import { maxAvatarMegabytes } from '@parley/api/people/avatars'
import { offlineSeconds } from '@parley/api/people/presence'
import type { Snapshot } from '../../snapshot.ts'
import { supportedPermissionSettings } from './permission-settings.ts'

/** The URL path of the names of built-in emoji; http/server-settings-routes.ts serves it. */
export const emojiDataPath = '/static/emoji-data.json'

const defaultJitsiServer = 'https://meet.jit.si'

/** The same for every realm and caller. */
const limits = {
  max_message_length: maxMessageLength,
  max_topic_length: maxTopicLength,
  max_stream_name_length: nameLimits.channel,
  max_stream_description_length: nameLimits.channelDescription,
  max_channel_folder_name_length: nameLimits.folder,
  max_channel_folder_description_length: nameLimits.folderDescription,
  max_file_upload_size_mib: maxUploadMegabytes,
  max_avatar_file_size_mib: maxAvatarMegabytes,
  max_icon_file_size_mib: 5,
  max_logo_file_size_mib: 5,
  password_min_length: 6,
  password_max_length: 100,
  password_min_guesses: 10_000,
  event_queue_longpoll_timeout_seconds: 90,
  server_typing_started_wait_period_milliseconds: 30_000,
  server_typing_stopped_wait_period_milliseconds: 12_000,
  server_typing_started_expiry_period_milliseconds: 45_000,
  server_presence_ping_interval_seconds: 60,
  server_presence_offline_threshold_seconds: offlineSeconds,
  server_min_deactivated_realm_deletion_days: 14,
  server_max_deactivated_realm_deletion_days: null,
}

const features = {
  server_thumbnail_formats: thumbnailFormats,
  server_inline_image_preview: true,
  server_inline_url_embed_preview: true,
  server_avatar_changes_disabled: false,
  server_name_changes_disabled: false,
  server_web_public_streams_enabled: true,
  server_needs_upgrade: false,
  server_can_summarize_topics: false,
  server_supported_permission_settings: supportedPermissionSettings,
  settings_send_digest_emails: true,
  realm_is_zephyr_mirror_realm: false,
  zulip_plan_is_not_limited: true,
  upgrade_text_for_wide_organization_logo: '',
  giphy_rating_options: {
    disabled: { name: 'GIPHY integration disabled', id: 0 },
    g: { name: 'Rated G', id: 1 },
    pg: { name: 'Rated PG', id: 2 },
    'pg-13': { name: 'Rated PG-13', id: 3 },
    r: { name: 'Rated R', id: 4 },
  },
}

/** The part of the register response that describes the server, not the organization. */
export function serverState({ caller, realmUrl, isDemo, serverGeneration, sendsEmails }: Snapshot) {
  return {
    ...limits,
    ...features,
    server_generation: serverGeneration,
    server_sends_email_notifications: sendsEmails,
    server_emoji_data_url: realmUrl + emojiDataPath,
    server_jitsi_server_url: defaultJitsiServer,
    jitsi_server_url: caller.realm.settings.jitsi_server_url ?? defaultJitsiServer,
    development_environment: isDemo,
  }
}
