import type { Store } from '@parley/client/store'
import { nameOf } from '../people/presence.ts'
import { type PlainId, t } from '../platform/i18n.ts'

const actionIds = [
  'audit.action.audit_log_exported',
  'audit.action.avatar_changed',
  'audit.action.bot_created',
  'audit.action.bot_deactivated',
  'audit.action.bot_key_replaced',
  'audit.action.bot_updated',
  'audit.action.channel_archived',
  'audit.action.channel_folder_created',
  'audit.action.channel_folder_updated',
  'audit.action.channel_folders_reordered',
  'audit.action.channel_unarchived',
  'audit.action.channel_updated',
  'audit.action.channels_created',
  'audit.action.default_channel_added',
  'audit.action.default_channel_removed',
  'audit.action.delivery_replayed',
  'audit.action.demo_completed',
  'audit.action.domain_added',
  'audit.action.domain_changed',
  'audit.action.domain_removed',
  'audit.action.email_change_requested',
  'audit.action.email_changed',
  'audit.action.emoji_added',
  'audit.action.emoji_deactivated',
  'audit.action.export_completed',
  'audit.action.export_deleted',
  'audit.action.export_downloaded',
  'audit.action.export_failed',
  'audit.action.export_requested',
  'audit.action.export_written',
  'audit.action.group_created',
  'audit.action.group_deactivated',
  'audit.action.group_members_changed',
  'audit.action.group_updated',
  'audit.action.invitation_link_created',
  'audit.action.invitation_resent',
  'audit.action.invitation_revoked',
  'audit.action.invitations_sent',
  'audit.action.job_removed',
  'audit.action.job_retried',
  'audit.action.key_replaced',
  'audit.action.linkifier_added',
  'audit.action.linkifier_removed',
  'audit.action.linkifier_updated',
  'audit.action.message_deleted',
  'audit.action.messages_expired',
  'audit.action.organization_created',
  'audit.action.password_changed',
  'audit.action.password_reset_requested',
  'audit.action.password_reset_sent',
  'audit.action.playground_added',
  'audit.action.playground_removed',
  'audit.action.profile_field_created',
  'audit.action.profile_field_deleted',
  'audit.action.profile_field_updated',
  'audit.action.profile_fields_reordered',
  'audit.action.realm_deactivated',
  'audit.action.realm_image_changed',
  'audit.action.realm_reactivated',
  'audit.action.realm_updated',
  'audit.action.session_ended',
  'audit.action.session_started',
  'audit.action.sign_in_failed',
  'audit.action.signed_in',
  'audit.action.signed_out_elsewhere',
  'audit.action.subscribers_added',
  'audit.action.subscribers_removed',
  'audit.action.token_created',
  'audit.action.token_revoked',
  'audit.action.topic_messages_deleted',
  'audit.action.user_created',
  'audit.action.user_deactivated',
  'audit.action.user_granted',
  'audit.action.user_joined',
  'audit.action.user_reactivated',
  'audit.action.user_settings_defaults_changed',
  'audit.action.user_updated',
] as const
const textOfAction = new Map<string, PlainId>(actionIds.map((id) => [id.slice('audit.action.'.length), id]))

export interface AuditEntry {
  id: number
  time: number
  action: string
  actor_id: number | null
  via: 'session' | 'token' | 'key' | 'request' | 'command' | 'server'
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

export function actorText(store: Store, { actor_id, via }: Pick<AuditEntry, 'actor_id' | 'via'>): string {
  if (actor_id !== null) return nameOf(store, actor_id)
  if (via === 'command') return t('audit.actor.operator')
  return via === 'server' ? t('audit.actor.server') : t('audit.actor.unknown')
}

/** Whose account, or which channel or group, it was done to, if that is not obvious. */
export function targetText(store: Store, { target, actor_id }: Pick<AuditEntry, 'target' | 'actor_id'>): string {
  const { user_id, channel_id, group_id } = target
  if (typeof channel_id === 'number') {
    const { subscribed, neverSubscribed } = store.channels
    return `#${subscribed.get(channel_id)?.name ?? neverSubscribed.get(channel_id)?.name ?? channel_id}`
  }
  if (typeof group_id === 'number') return store.groups.byId.get(group_id)?.name ?? String(group_id)
  return typeof user_id === 'number' && user_id !== actor_id ? nameOf(store, user_id) : ''
}

const viaTexts: Record<Exclude<AuditEntry['via'], 'session' | 'token'>, PlainId> = {
  key: 'audit.via.key',
  request: 'audit.via.request',
  command: 'audit.via.command',
  server: 'audit.via.server',
}

export function viaText({ via, credential_id }: Pick<AuditEntry, 'via' | 'credential_id'>): string {
  const id = String(credential_id ?? '')
  if (via === 'session') return t('audit.via.session', { id })
  return via === 'token' ? t('audit.via.token', { id }) : t(viaTexts[via])
}

/** Values as "name: value" lines, in a form that people can read. */
export function valueLines(values: Record<string, unknown>): string[] {
  return Object.entries(values).map(([name, value]) => `${name}: ${plain(value)}`)
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
