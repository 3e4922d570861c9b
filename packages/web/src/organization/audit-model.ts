import type { Slices } from '@parley/client/store/store'
import { nameOf } from '../people/presence.ts'
import { type PlainId, t } from '../platform/i18n.ts'

/** The build replaces ids of texts, so that they cannot be computed. */
const textOfAction = new Map<string, PlainId>([
  ['audit_log_exported', 'audit.action.audit_log_exported'],
  ['avatar_changed', 'audit.action.avatar_changed'],
  ['hook_created', 'audit.action.hook_created'],
  ['hook_updated', 'audit.action.hook_updated'],
  ['hook_deleted', 'audit.action.hook_deleted'],
  ['bot_created', 'audit.action.bot_created'],
  ['bot_deactivated', 'audit.action.bot_deactivated'],
  ['bot_key_replaced', 'audit.action.bot_key_replaced'],
  ['bot_updated', 'audit.action.bot_updated'],
  ['channel_archived', 'audit.action.channel_archived'],
  ['channel_folder_created', 'audit.action.channel_folder_created'],
  ['channel_folder_updated', 'audit.action.channel_folder_updated'],
  ['channel_folders_reordered', 'audit.action.channel_folders_reordered'],
  ['channel_unarchived', 'audit.action.channel_unarchived'],
  ['channel_updated', 'audit.action.channel_updated'],
  ['channels_created', 'audit.action.channels_created'],
  ['default_channel_added', 'audit.action.default_channel_added'],
  ['default_channel_group_channels_added', 'audit.action.default_channel_group_channels_added'],
  ['default_channel_group_channels_removed', 'audit.action.default_channel_group_channels_removed'],
  ['default_channel_group_created', 'audit.action.default_channel_group_created'],
  ['default_channel_group_deleted', 'audit.action.default_channel_group_deleted'],
  ['default_channel_group_updated', 'audit.action.default_channel_group_updated'],
  ['default_channel_removed', 'audit.action.default_channel_removed'],
  ['delivery_replayed', 'audit.action.delivery_replayed'],
  ['demo_completed', 'audit.action.demo_completed'],
  ['domain_added', 'audit.action.domain_added'],
  ['domain_changed', 'audit.action.domain_changed'],
  ['domain_removed', 'audit.action.domain_removed'],
  ['email_change_cancelled', 'audit.action.email_change_cancelled'],
  ['email_change_requested', 'audit.action.email_change_requested'],
  ['email_changed', 'audit.action.email_changed'],
  ['emoji_added', 'audit.action.emoji_added'],
  ['emoji_deactivated', 'audit.action.emoji_deactivated'],
  ['export_completed', 'audit.action.export_completed'],
  ['export_deleted', 'audit.action.export_deleted'],
  ['export_downloaded', 'audit.action.export_downloaded'],
  ['export_failed', 'audit.action.export_failed'],
  ['export_requested', 'audit.action.export_requested'],
  ['export_written', 'audit.action.export_written'],
  ['group_created', 'audit.action.group_created'],
  ['group_deactivated', 'audit.action.group_deactivated'],
  ['group_members_changed', 'audit.action.group_members_changed'],
  ['group_updated', 'audit.action.group_updated'],
  ['invitation_link_created', 'audit.action.invitation_link_created'],
  ['invitation_resent', 'audit.action.invitation_resent'],
  ['invitation_revoked', 'audit.action.invitation_revoked'],
  ['invitations_sent', 'audit.action.invitations_sent'],
  ['job_removed', 'audit.action.job_removed'],
  ['job_retried', 'audit.action.job_retried'],
  ['key_replaced', 'audit.action.key_replaced'],
  ['linkifier_added', 'audit.action.linkifier_added'],
  ['linkifier_removed', 'audit.action.linkifier_removed'],
  ['linkifier_updated', 'audit.action.linkifier_updated'],
  ['message_deleted', 'audit.action.message_deleted'],
  ['message_restored', 'audit.action.message_restored'],
  ['messages_expired', 'audit.action.messages_expired'],
  ['organization_created', 'audit.action.organization_created'],
  ['password_changed', 'audit.action.password_changed'],
  ['password_reset_requested', 'audit.action.password_reset_requested'],
  ['password_reset_sent', 'audit.action.password_reset_sent'],
  ['playground_added', 'audit.action.playground_added'],
  ['playground_removed', 'audit.action.playground_removed'],
  ['profile_field_created', 'audit.action.profile_field_created'],
  ['profile_field_deleted', 'audit.action.profile_field_deleted'],
  ['profile_field_updated', 'audit.action.profile_field_updated'],
  ['profile_fields_reordered', 'audit.action.profile_fields_reordered'],
  ['realm_deactivated', 'audit.action.realm_deactivated'],
  ['realm_image_changed', 'audit.action.realm_image_changed'],
  ['realm_reactivated', 'audit.action.realm_reactivated'],
  ['realm_updated', 'audit.action.realm_updated'],
  ['scim_token_created', 'audit.action.scim_token_created'],
  ['scim_token_revoked', 'audit.action.scim_token_revoked'],
  ['server_settings_changed', 'audit.action.server_settings_changed'],
  ['session_ended', 'audit.action.session_ended'],
  ['session_started', 'audit.action.session_started'],
  ['sign_in_failed', 'audit.action.sign_in_failed'],
  ['signed_in', 'audit.action.signed_in'],
  ['signed_out_elsewhere', 'audit.action.signed_out_elsewhere'],
  ['subscribers_added', 'audit.action.subscribers_added'],
  ['subscribers_removed', 'audit.action.subscribers_removed'],
  ['token_created', 'audit.action.token_created'],
  ['token_revoked', 'audit.action.token_revoked'],
  ['topic_messages_deleted', 'audit.action.topic_messages_deleted'],
  ['user_created', 'audit.action.user_created'],
  ['user_deactivated', 'audit.action.user_deactivated'],
  ['user_granted', 'audit.action.user_granted'],
  ['user_joined', 'audit.action.user_joined'],
  ['user_reactivated', 'audit.action.user_reactivated'],
  ['user_suspended', 'audit.action.user_suspended'],
  ['suspension_ended', 'audit.action.suspension_ended'],
  ['user_settings_defaults_changed', 'audit.action.user_settings_defaults_changed'],
  ['user_updated', 'audit.action.user_updated'],
])

export interface AuditEntry {
  id: number
  time: number
  action: string
  actor_id: number | null
  actor_owner_id: number | null
  via: 'session' | 'token' | 'key' | 'request' | 'command' | 'server' | 'scim'
  credential_id: number | null
  ip_address: string | null
  target: Record<string, unknown>
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  hash: string
}

/** What was done, as the rest of a sentence. Acts that this client does not know keep their name. */
export function actionText(action: string): string {
  const id = textOfAction.get(action)
  return id ? t(id) : action.replaceAll('_', ' ')
}

/** Who acted. Of a bot, also the person behind it. */
export function actorText(
  store: Slices<'users'>,
  { actor_id, actor_owner_id, via }: Pick<AuditEntry, 'actor_id' | 'actor_owner_id' | 'via'>,
): string {
  if (actor_id !== null && actor_owner_id !== null)
    return `${nameOf(store, actor_id)} (${t('bots.ownedBy', { name: nameOf(store, actor_owner_id) })})`
  if (actor_id !== null) return nameOf(store, actor_id)
  if (via === 'command') return t('audit.actor.operator')
  if (via === 'scim') return t('audit.actor.provider')
  return via === 'server' ? t('audit.actor.server') : t('audit.actor.unknown')
}

/** Whose account, or which channel or group, it was done to, if that is not obvious. */
export function targetText(
  store: Slices<'channels' | 'groups' | 'users'>,
  { target, actor_id }: Pick<AuditEntry, 'target' | 'actor_id'>,
): string {
  const { user_id, channel_id, group_id } = target
  if (typeof channel_id === 'number') {
    const { subscribed, neverSubscribed } = store.channels
    return `#${subscribed.get(channel_id)?.name ?? neverSubscribed.get(channel_id)?.name ?? channel_id}`
  }
  if (typeof group_id === 'number') return store.groups.byId.get(group_id)?.name ?? String(group_id)
  return typeof user_id === 'number' && user_id !== actor_id ? nameOf(store, user_id) : ''
}

const viaTexts: Record<Exclude<AuditEntry['via'], 'session' | 'token' | 'scim'>, PlainId> = {
  key: 'audit.via.key',
  request: 'audit.via.request',
  command: 'audit.via.command',
  server: 'audit.via.server',
}

export function viaText({ via, credential_id }: Pick<AuditEntry, 'via' | 'credential_id'>): string {
  const id = String(credential_id ?? '')
  if (via === 'session') return t('audit.via.session', { id })
  if (via === 'scim') return t('audit.via.scim', { id })
  return via === 'token' ? t('audit.via.token', { id }) : t(viaTexts[via])
}

/** Values as "name: value" lines, in a form that people can read. */
export function valueLines(values: Record<string, unknown>): string[] {
  return Object.entries(values).map(([name, value]) => `${name}: ${plain(value)}`)
}

const mostChanges = 2

/** What was different before: "name: old → new", in one line. */
export function changesText({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  const old = new Map(Object.entries(before ?? {}))
  const names = Object.entries(after ?? {}).filter(([name, value]) => before && plain(old.get(name)) !== plain(value))
  const shown = names.slice(0, mostChanges).map(([name, value]) => `${name}: ${plain(old.get(name))} → ${plain(value)}`)
  return [...shown, ...(names.length > mostChanges ? [`+${names.length - mostChanges}`] : [])].join(', ')
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
