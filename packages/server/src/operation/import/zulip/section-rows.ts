import { lookup } from '@parley/api/lookup'
import type { SectionName } from '../rows/row-source.ts'
import type { Row } from '../rows/row-values.ts'
import type { KnownExport } from './known-export.ts'
import { channelRows, fieldRows, groupRows, ofUser, permissionRows, realmRow, userRows } from './organization-rows.ts'

/** The rows of a section, in the layout of our own export. */
export function sectionRows(known: KnownExport, section: SectionName): Row[] {
  return lookup(readers, section)?.(known) ?? []
}

const [sendLater, reminder] = [1, 2]

const readers: Partial<Record<SectionName, (known: KnownExport) => Row[]>> = {
  realm: ({ tables }) => [realmRow(tables)],
  permissions: ({ tables }) => permissionRows(tables),
  domains: ({ tables }) => tables.rows('realmdomain'),
  linkifiers: ({ tables }) => tables.rows('realmfilter').map((row) => ({ ...row, place: row.order })),
  playgrounds: ({ tables }) => tables.rows('realmplayground'),
  profile_fields: ({ tables }) => fieldRows(tables),
  users: ({ tables }) => userRows(tables),
  profile_values: ({ tables }) => ofUser(tables.rows('customprofilefieldvalue'), ({ field }) => ({ field_id: field })),
  statuses: ({ tables }) => ofUser(tables.rows('userstatus')),
  groups: ({ tables }) => groupRows(tables),
  folders: ({ tables }) => tables.rows('channelfolder').map((row) => ({ ...row, creator_id: row.creator })),
  channels: ({ tables }) => channelRows(tables),
  default_channels: ({ tables }) => tables.rows('defaultstream').map(({ stream }) => ({ channel_id: stream })),
  default_channel_groups: ({ tables }) =>
    tables.rows('defaultstreamgroup').map((row) => ({ ...row, channel_ids: row.streams })),
  emoji: ({ tables }) => tables.rows('realmemoji').map((row) => ({ ...row, author_id: row.author })),
  bots: ({ tables }) =>
    tables
      .rows('userprofile')
      .filter(({ is_bot, bot_type }) => is_bot !== false && typeof bot_type === 'number')
      .map((row) => ({
        user_id: row.id,
        default_sending_channel_id: row.default_sending_stream,
        default_events_channel_id: row.default_events_register_stream,
        default_all_public_streams: row.default_all_public_streams,
      })),
  bot_services: ({ tables }) => tables.rows('service').map((row) => ({ ...row, bot_id: row.user_profile })),
  bot_storage: ({ tables }) => tables.rows('botstoragedata').map((row) => ({ ...row, bot_id: row.bot_profile })),
  files: ({ attachments }) =>
    attachments.map((row) => ({ ...row, owner_id: row.owner, name: row.file_name, message_ids: row.messages })),
  topics: ({ topics }) => topics.all(),
  own_subscriptions: subscriptionRows,
  subscription_periods: ({ periods }) =>
    [...periods.all()].map(({ user, channel, from, to }) => ({
      user_id: user,
      channel_id: channel,
      from_message: from,
      to_message: to,
    })),
  own_conversations: conversationRows,
  own_topics: ({ tables }) =>
    ofUser(tables.rows('usertopic'), ({ stream, topic_name }) => ({ channel_id: stream, topic: topic_name })),
  muted_users: ({ tables }) => ofUser(tables.rows('muteduser'), ({ muted_user }) => ({ muted_user_id: muted_user })),
  alert_words: ({ tables }) => ofUser(tables.rows('alertword')),
  saved_snippets: ({ tables }) => ofUser(tables.rows('savedsnippet')),
  scheduled_messages: (known) => plannedRows(known, sendLater),
  reminders: (known) =>
    plannedRows(known, reminder).map((row) => ({
      ...row,
      message_id: row.reminder_target_message_id,
      note: row.reminder_note ?? '',
    })),
}

function subscriptionRows({ tables, conversations, positions, periods }: KnownExport): Row[] {
  return tables.rows('subscription').flatMap((row) => {
    const channel = conversations.channelOf(row.recipient)
    if (channel === undefined) return []
    const user = row.user_profile as number
    const read_floor = positions.floor(user, `channel ${channel}`, periods.since(user, channel))
    return [{ ...row, user_id: user, channel_id: channel, is_active: row.active, read_floor }]
  })
}

/** Everybody in a conversation, which up to version 11 can be one with a person. */
function conversationRows({ direct, positions }: KnownExport): Row[] {
  return [...direct].flatMap(([key, users]) =>
    users.map((user) => ({ user_id: user, recipients: users, read_floor: positions.floor(user, key, 0) })),
  )
}

/** Of those that are not sent yet. */
function plannedRows({ tables, conversations, clients }: KnownExport, type: number): Row[] {
  return tables
    .rows('scheduledmessage')
    .filter(({ delivery_type, delivered }) => delivery_type === type && delivered !== true)
    .map((row) => {
      const place = conversations.find(row.recipient, row.sender)
      return {
        ...row,
        user_id: row.sender,
        type: place?.channel === undefined ? 'private' : 'stream',
        recipients: place?.channel === undefined ? place?.users : [place.channel],
        topic: row.subject,
        delivery_time: row.scheduled_timestamp,
        client: clients.get(row.sending_client),
      }
    })
}
