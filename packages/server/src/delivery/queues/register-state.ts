import { type RegisterPart, registerParts } from '@parley/api/delivery/register'
import { isGuest } from '@parley/api/permissions'
import {
  channelState,
  defaultChannelState,
  defaultGroupState,
  subscriptionState,
} from '../../conversations/channels/initial-state.ts'
import { starredState, unreadState } from '../../conversations/flags/initial-state.ts'
import { draftState } from '../../conversations/later/drafts/initial-state.ts'
import { reminderState } from '../../conversations/later/reminders/initial-state.ts'
import { scheduledState } from '../../conversations/later/scheduled/initial-state.ts'
import { stopWords } from '../../conversations/messages/fetch/stop-words.ts'
import { conversationState, newestMessageState } from '../../conversations/messages/model/initial-state.ts'
import { mutedUserState } from '../../conversations/muting/initial-state.ts'
import { mutedTopicState, userTopicState } from '../../conversations/topics/initial-state.ts'
import { domainState } from '../../organization/domains/initial-state.ts'
import { emojiState } from '../../organization/emoji/initial-state.ts'
import { folderState } from '../../organization/folders/initial-state.ts'
import { groupState, realmPermissionState } from '../../organization/groups/initial-state.ts'
import { linkifierState } from '../../organization/linkifiers/initial-state.ts'
import { playgroundState } from '../../organization/playgrounds/initial-state.ts'
import { realmState } from '../../organization/realms/initial-state.ts'
import { maintenanceState } from '../../organization/server-settings/initial-state.ts'
import { alertWordState } from '../../people/alert-words/initial-state.ts'
import { presenceState } from '../../people/presence/initial-state.ts'
import { profileFieldState } from '../../people/profile-fields/initial-state.ts'
import { snippetState } from '../../people/snippets/initial-state.ts'
import { statusState } from '../../people/status/initial-state.ts'
import { userState } from '../../people/users/initial-state.ts'
import {
  displaySettingsState,
  notificationSettingsState,
  userSettingsDefaultsState,
  userSettingsState,
} from '../../people/users/settings/settings-state.ts'
import { allDone } from '../../platform/db/pipelined.ts'
import { JsonText } from '../../platform/json-text.ts'
import type { Snapshot } from '../../snapshot.ts'
import { botState } from '../bots/initial-state.ts'

type Loader = (snapshot: Snapshot) => object | Promise<object>

/** A part that is the same for all callers, or for all with the same `variantOf`. */
function shared(name: string, load: Loader, variantOf: (snapshot: Snapshot) => unknown = () => ''): Loader {
  return (snapshot) =>
    snapshot.shared(`${name} ${variantOf(snapshot)}`, async () => serialized(await load(snapshot)), textLength)
}

type Serialized = Record<string, JsonText>

function serialized(part: object): Serialized {
  return Object.fromEntries(Object.entries(part).map(([field, value]) => [field, JsonText.of(value)]))
}

function textLength(part: Serialized): number {
  return Object.values(part).reduce((sum, { text }) => sum + text.length, 0)
}

const permissionState = shared('permissions', realmPermissionState)

/** The loader of each part of the state. Features that Parley lacks return empty values. */
const loaders: Record<RegisterPart, Loader> = {
  alert_words: alertWordState,
  custom_profile_fields: shared('profile fields', profileFieldState),
  onboarding_steps: () => ({ onboarding_steps: [], navigation_tour_video_url: null }),
  message: newestMessageState,
  saved_snippets: snippetState,
  drafts: draftState,
  scheduled_messages: scheduledState,
  reminders: reminderState,
  muted_topics: mutedTopicState,
  muted_users: mutedUserState,
  presence: presenceState,
  realm_user_groups: shared('groups', groupState, ({ capabilities }) => capabilities.include_deactivated_groups),
  realm: async (snapshot) => ({ ...(await realmState(snapshot)), ...(await permissionState(snapshot)) }),
  realm_user_settings_defaults: shared('settings defaults', userSettingsDefaultsState),
  realm_domains: shared('domains', domainState),
  realm_emoji: shared('emoji', emojiState),
  realm_linkifiers: shared('linkifiers', linkifierState, ({ capabilities }) => capabilities.linkifier_url_template),
  realm_filters: () => ({ realm_filters: [] }),
  realm_playgrounds: shared('playgrounds', playgroundState),
  realm_billing: () => ({ realm_billing: { has_pending_sponsorship_request: false } }),
  realm_user: userState,
  realm_bot: botState,
  realm_embedded_bots: () => ({ realm_embedded_bots: [] }),
  realm_incoming_webhook_bots: () => ({ realm_incoming_webhook_bots: [] }),
  recent_private_conversations: conversationState,
  subscription: subscriptionState,
  update_message_flags: unreadState,
  starred_messages: starredState,
  stream: channelState,
  channel_folders: shared('folders', folderState),
  default_streams: shared('default channels', defaultChannelState, ({ caller }) => isGuest(caller)),
  default_stream_groups: shared('default channel groups', defaultGroupState, ({ caller }) => isGuest(caller)),
  stop_words: () => ({ stop_words: stopWords }),
  user_settings: userSettingsState,
  update_display_settings: displaySettingsState,
  update_global_notifications: notificationSettingsState,
  user_status: statusState,
  user_topic: userTopicState,
  video_calls: () => ({ has_zoom_token: false }),
  giphy: () => ({ giphy_api_key: '' }),
  server_maintenance: maintenanceState,
}

/** Loads the requested parts of the state from one snapshot, concurrently. `requested` null means all parts. */
export async function readSnapshot(snapshot: Snapshot, requested: string[] | null): Promise<Record<string, unknown>> {
  const names = Object.keys(registerParts) as RegisterPart[]
  const parts = names.filter((part) => isRequested(part, requested, snapshot))
  return Object.assign({}, ...(await allDone(parts.map(async (part) => loaders[part](snapshot)))))
}

function isRequested(
  part: RegisterPart,
  requested: string[] | null,
  { capabilities, hidesSecrets }: Snapshot,
): boolean {
  if (isLegacySettings(part) && capabilities.user_settings_object) return false
  if (part === 'realm_bot' && hidesSecrets) return false
  if (requested === null) return true
  // Clients that request `user_topic` do not need the legacy format of muted topics.
  if (part === 'muted_topics' && requested.includes('user_topic')) return false
  if (part === 'update_message_flags' && !requested.includes('message')) return false
  return requested.includes(part)
}

function isLegacySettings(part: RegisterPart): boolean {
  return part === 'update_display_settings' || part === 'update_global_notifications'
}
