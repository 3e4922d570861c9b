import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as queues from '@parley/api/delivery/queues'
import * as presence from '@parley/api/people/presence'
import { newWorld } from '../../testing/world.ts'

/** What zulip-terminal sends at start, and the fields that it requires. */
const terminal = {
  event_types: ['message', 'update_message', 'reaction', 'submessage', 'subscription', 'typing'].concat([
    'update_message_flags',
    'user_settings',
    'realm_emoji',
    'realm_user',
  ]),
  fetch_event_types: [
    'realm',
    'presence',
    'subscription',
    'message',
    'starred_messages',
    'update_message_flags',
  ].concat(
    ['muted_topics', 'realm_user', 'realm_user_groups', 'user_settings', 'realm_emoji', 'custom_profile_fields'],
    ['zulip_version'],
  ),
  narrow: [],
  client_gravatar: true,
  apply_markdown: true,
  include_subscribers: true,
}
const terminalNeeds = `
  queue_id last_event_id zulip_version zulip_feature_level user_id email full_name realm_name realm_users
  cross_realm_bots presences subscriptions unread_msgs starred_messages muted_topics realm_user_groups realm_emoji
  max_message_id realm_message_retention_days user_settings custom_profile_fields realm_allow_message_editing
  realm_message_content_edit_limit_seconds realm_allow_edit_history server_presence_ping_interval_seconds`

/** The same for zulip-flutter. */
const flutter = {
  apply_markdown: true,
  client_gravatar: false,
  slim_presence: true,
  idle_queue_timeout: 'mobile' as const,
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_avatar_url_field_optional: true,
    stream_typing_notifications: true,
    user_settings_object: true,
    include_deactivated_groups: true,
    empty_topic_name: true,
  },
}
const flutterNeeds = `
  last_event_id zulip_feature_level zulip_version zulip_merge_base alert_words custom_profile_fields
  max_stream_name_length max_topic_length server_presence_ping_interval_seconds
  server_presence_offline_threshold_seconds muted_users presences realm_emoji realm_user_groups
  recent_private_conversations subscriptions unread_msgs starred_messages streams user_status user_settings user_topics
  realm_wildcard_mention_policy realm_name realm_waiting_period_threshold realm_allow_message_editing
  realm_enable_read_receipts realm_icon_url realm_presence_disabled realm_default_external_accounts
  max_file_upload_size_mib server_emoji_data_url event_queue_longpoll_timeout_seconds realm_users
  realm_non_active_users cross_realm_bots`

function missingIn(state: object, needs: string): string[] {
  return needs
    .trim()
    .split(/\s+/)
    .filter((name) => !(name in state))
}

test('zulip-terminal gets every field that it requires', async () => {
  const { ann, ben, host } = await newWorld()
  await ben.does(presence.updatePresence, { status: 'active', new_user_input: true })

  const state = await ann.does(queues.register, terminal)

  assert.deepEqual(missingIn(state, terminalNeeds), [])
  const { website } = (state.presences as Record<string, Record<string, object>>)[`ben@${host}`]!
  assert.deepEqual(Object.keys(website!), ['client', 'status', 'timestamp', 'pushable'])
  assert.ok(state.realm_users!.some(({ user_id }) => user_id === ann.id))
})

test('zulip-terminal gets the newest message id when it registers again', async () => {
  const { ann } = await newWorld()
  const state = await ann.does(queues.register, { ...terminal, fetch_event_types: undefined })
  assert.deepEqual(missingIn(state, 'max_message_id queue_id last_event_id'), [])
})

test('zulip-flutter gets every field that it requires', async () => {
  const { ann } = await newWorld()

  const state = await ann.does(queues.register, flutter)

  assert.deepEqual(missingIn(state, flutterNeeds), [])
  assert.deepEqual(
    missingIn(
      state.user_settings!,
      'twenty_four_hour_time starred_message_counts display_emoji_reaction_users emojiset presence_enabled',
    ),
    [],
  )
  assert.equal('enable_desktop_notifications' in state, false)
})
