import { channelPermissionNames } from '@parley/api/conversations/channels'
import { groupPermissionNames } from '@parley/api/organization/groups'
import { roles } from '@parley/api/roles'
import { sql } from 'kysely'
import { apiEmail } from '../../callers/api-email.ts'
import { fakeDomain } from '../../callers/realm-state.ts'
import { readDefaultGroups } from '../../conversations/channels/default-groups/queries.ts'
import { emojiUrl } from '../../organization/emoji/queries.ts'
import { readFolders } from '../../organization/folders/queries.ts'
import { deliveryEmail, type UserRow } from '../../people/users/user-object.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { DB } from '../../platform/db/tables.generated.ts'
import { unixSeconds } from '../../platform/text.ts'
import { files, messages, topics } from './message-sections.ts'
import { personalSections } from './personal-sections.ts'
import { everything, type Lines, ofChannels, plain, rowsOf, type Section } from './rows.ts'
import type { Scope } from './scope.ts'

/** The files of an export that are created from rows. Columns are listed explicitly; all others are not exported. */
export const sections: Record<string, Section> = {
  realm: { tables: ['realms'], lines: realmLines },
  permissions: plain('realm_permissions', ['setting', 'group_id'], everything),
  domains: plain('realm_domains', ['domain', 'allow_subdomains'], everything),
  linkifiers: plain('linkifiers', ['id', 'pattern', 'url_template', 'example_input', 'place'], everything),
  playgrounds: plain('playgrounds', ['id', 'name', 'pygments_language', 'url_template'], everything),
  profile_fields: plain(
    'profile_fields',
    [
      'id',
      'name',
      'hint',
      'field_type',
      'field_data',
      'place',
      'display_in_profile_summary',
      'required',
      'editable_by_user',
    ],
    everything,
  ),
  users: { tables: ['users'], lines: userLines },
  profile_values: plain('profile_values', ['user_id', 'field_id', 'value', 'rendered_value'], everything),
  statuses: plain(
    'user_statuses',
    ['user_id', 'status_text', 'emoji_name', 'emoji_code', 'reaction_type', 'scheduled_end_time'],
    everything,
  ),
  bots: plain(
    'bots',
    ['user_id', 'default_sending_channel_id', 'default_events_channel_id', 'default_all_public_streams'],
    everything,
  ),
  groups: { tables: ['user_groups', 'group_members', 'group_subgroups'], lines: groupLines },
  folders: { tables: ['channel_folders'], lines: folderLines },
  channels: { tables: ['channels'], lines: channelLines },
  channel_pins: plain(
    'channel_pins',
    ['channel_id', 'id', 'title', 'message_id', 'url', 'user_id', 'created_at'],
    ofChannels,
  ),
  default_channels: plain('default_channels', ['channel_id'], ofChannels),
  default_channel_groups: {
    tables: ['default_channel_groups', 'default_channel_group_channels'],
    lines: defaultGroupLines,
  },
  subscriptions: { tables: ['subscriptions'], lines: subscriptionLines },
  subscription_periods: plain(
    'subscription_periods',
    ['channel_id', 'user_id', 'from_message', 'to_message'],
    ofChannels,
  ),
  topics,
  messages,
  files,
  emoji: { tables: ['realm_emoji'], lines: emojiLines },
  ...personalSections,
}

/** Tables that are not exported, and why. docs/export.md documents the same. */
export const leftOut: Partial<Record<keyof DB, string>> = {
  migrations: 'is about the database',
  realm_counters: 'follows from the rows',
  log_epochs: 'is of the moment: when the database may have been restored',
  log_history: 'is about the database',
  presence: 'is of the moment',
  events: 'is of the moment: what changed, for clients that are connected',
  queues: 'is of the moment: clients that are connected',
  local_sends: 'is of the moment: repeated sends',
  idempotent_requests: 'is of the moment: repeated requests',
  resumable_uploads: 'is of the moment: uploads that are not finished',
  send_batches: 'is of the moment: what a process sent last',
  login_failures: 'is of the moment',
  rate_limits: 'is of the moment',
  processes: 'is of the moment',
  server_generation: 'is about the server',
  server_settings: 'is about the server',
  email_changes: 'is of the moment, and contains secrets',
  invitations: 'is of the moment, and contains secrets',
  credentials: 'would allow access to accounts',
  totp_factors: 'would allow access to accounts',
  recovery_codes: 'would allow access to accounts',
  passkeys: 'would allow access to accounts',
  external_identities: 'belongs to another system',
  provisioned_users: 'belongs to another system',
  provisioned_groups: 'belongs to another system',
  scim_tokens: 'secrets',
  used_challenges: 'is of the moment',
  password_resets: 'would allow access to accounts',
  start_links: 'is about the server',
  sign_in_places: 'is of the moment',
  push_tokens: 'would allow sending notifications to a device',
  vapid_keys: 'is about the server',
  acme_accounts: 'is about the server',
  tls_certificates: 'is about the server',
  tls_challenges: 'is about the server',
  web_push_subscriptions: 'would allow sending notifications to a device',
  web_push_cursors: 'is of the moment',
  message_streams: 'is of the moment: which messages are still being written',
  message_notices: 'is of the moment: which messages did not notify as usual',
  notified_anyway: 'is of the moment',
  email_bounces: 'is a log, of a month',
  dead_emails: 'is of the moment: addresses from which emails come back',
  notification_trail: 'is a log, of two weeks',
  web_push_deliveries: 'is of the moment: notifications that are being sent',
  email_cursors: 'is of the moment',
  email_notifications: 'is of the moment: emails that are being sent',
  incoming_emails: 'is of the moment: emails that are being posted',
  message_moves: 'is of the moment: moves that are being done',
  resolve_notices: 'is of the moment: which notice is taken back when a topic is reopened at once',
  suspensions: 'is of the moment: until when accounts are suspended',
  deleted_messages: 'was deleted by its authors or by moderators, and is kept only to be restored',
  delivered_scheduled_messages: 'is of the moment: what was sent lately',
  webhook_cursors: 'is of the moment',
  preview_cursors: 'is of the moment',
  pending_previews: 'is of the moment',
  link_previews: 'is of the moment',
  hidden_previews: 'concerns previews, which are fetched again',
  webhook_deliveries: 'is a log, with messages of those who did not agree',
  hooks: 'would allow posting messages',
  hook_messages: 'is of the moment: which messages of hooks later requests edit',
  hook_requests: 'is a log, of what other systems sent',
  caught_mail: 'exists on the demo server only',
  audit_log: 'is a log, also of what private channels and people who did not agree did',
  audit_chains: 'belongs to the audit log',
  realm_exports: 'is about exports',
  imports: 'is about imports',
  import_map: 'is about imports',
  import_problems: 'is about imports',
}

async function* realmLines(db: Db, { realmId }: Scope): Lines {
  const { date_created, ...realm } = await db
    .selectFrom('realms')
    .select(['id', 'string_id', 'host', 'name', 'description', 'date_created', 'settings', 'user_settings_defaults'])
    .where('id', '=', realmId)
    .executeTakeFirstOrThrow()
  yield { ...realm, date_created: unixSeconds(date_created) }
}

/** Settings, and emails that are hidden from administrators, are exported only for users who consented. */
async function* userLines(db: Db, { realmId, isFull, consenting }: Scope): Lines {
  const consented = new Set(consenting)
  const realm = await db
    .selectFrom('realms')
    .select(['host', 'string_id'])
    .where('id', '=', realmId)
    .executeTakeFirstOrThrow()
  const administrator = { id: 0, role: roles.admin }
  const query = sql<UserLine>`
    select u.id, u.email, u.full_name, u.role, u.is_active, u.bot_type, u.bot_owner_id, u.is_system_bot, u.date_joined,
           u.timezone, u.avatar_source, u.avatar_version, u.avatar_path, u.is_imported_stub,
           (extract(epoch from u.date_joined) * 1000000)::bigint as date_joined_us,
           coalesce((u.settings ->> 'email_address_visibility')::integer, 1) as email_address_visibility,
           case when u.id = any(${consenting}::bigint[]) then u.settings end as settings
      from users u where u.realm_id = ${realmId} order by u.id`
  for await (const { date_joined, settings, email_address_visibility, ...row } of rowsOf(db, query)) {
    const known = { ...row, email_address_visibility }
    yield {
      ...row,
      email: apiEmail(known, fakeDomain(realm)),
      delivery_email: isFull || consented.has(row.id) ? row.email : deliveryEmail(known, administrator),
      date_joined: unixSeconds(date_joined),
      ...(settings && { settings }),
    }
  }
}

interface UserLine extends UserRow {
  settings: object | null
}

/** Named groups, and anonymous groups that are the values of exported settings. */
function groupLines(db: Db, { realmId, channels }: Scope): Lines {
  const settings = sql.join(channelPermissionNames.map((name) => sql.ref(`c.${name}`)))
  return rowsOf(
    db,
    sql<object>`
      select g.id, g.name, g.description, g.is_system_group, g.deactivated, g.creator_id,
             extract(epoch from g.date_created)::bigint as date_created,
             ${sql.join(groupPermissionNames.map((name) => sql.ref(`g.${name}`)))},
             array(select user_id from group_members where realm_id = g.realm_id and group_id = g.id order by 1) as members,
             array(select subgroup_id from group_subgroups where realm_id = g.realm_id and group_id = g.id order by 1) as subgroups
        from user_groups g
       where g.realm_id = ${realmId} and (g.name is not null or not exists (
         select 1 from channels c
          where c.realm_id = g.realm_id and g.id in (${settings}) and c.id <> all(${channels}::bigint[])))
       order by g.id`,
  )
}

async function* folderLines(db: Db, { realmId }: Scope): Lines {
  for (const { rendered_description: _, ...folder } of await readFolders(db, realmId)) yield folder
}

async function* defaultGroupLines(db: Db, { realmId, channels }: Scope): Lines {
  for (const { streams, ...group } of await readDefaultGroups(db, realmId))
    yield { ...group, channel_ids: streams.filter((id) => channels.includes(id)) }
}

function channelLines(db: Db, { realmId, channels }: Scope): Lines {
  return rowsOf(
    db,
    sql<object>`
      select c.id, c.name, c.description, extract(epoch from c.date_created)::bigint as date_created, c.creator_id,
             c.invite_only, c.is_web_public, c.history_public_to_subscribers, c.is_archived, c.message_retention_days,
              c.folder_id,
             ${sql.join(channelPermissionNames.map((name) => sql.ref(`c.${name}`)))}
        from channels c where c.realm_id = ${realmId} and c.id = any(${channels}::bigint[]) order by c.id`,
  )
}

function subscriptionLines(db: Db, { realmId, channels }: Scope): Lines {
  return rowsOf(
    db,
    sql<object>`
      select s.channel_id, s.user_id from subscriptions s
       where s.realm_id = ${realmId} and s.channel_id = any(${channels}::bigint[]) and s.is_active order by 1, 2`,
  )
}

async function* emojiLines(db: Db, { realmId }: Scope): Lines {
  const rows = await db
    .selectFrom('realm_emoji')
    .select(['id', 'name', 'author_id', 'deactivated', 'file_name', 'still_file_name'])
    .where('realm_id', '=', realmId)
    .orderBy('id')
    .execute()
  yield* rows.map((row) => ({ ...row, source_url: emojiUrl(realmId, row.file_name) }))
}
