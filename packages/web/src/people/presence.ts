import type { Store } from '@parley/client/store'
import { glyphOf } from '../platform/emoji.ts'
import { t } from '../platform/i18n.ts'

const onlineSeconds = 140

/** Whether the user was active in the last minutes. */
export function isOnline(store: Store, userId: number): boolean {
  const { presences = {} } = store.presence.snapshot() as { presences?: Record<string, { active_timestamp?: number }> }
  const seen = presences[userId]?.active_timestamp ?? 0
  return Date.now() / 1000 - seen < onlineSeconds
}

export function nameOf(store: Store, userId: number): string {
  return (
    store.users.byId.get(userId)?.full_name ??
    store.users.systemBots.find((bot) => bot.user_id === userId)?.full_name ??
    t('people.unknown')
  )
}

/** "Ann, Ben"; notes to oneself carry the viewer's own name. */
export function namesOf(store: Store, userIds: readonly number[]): string {
  return userIds.map((id) => nameOf(store, id)).join(', ')
}

/** The emoji and the text of the user's status, or nothing. */
export function statusText(store: Store, userId: number): string {
  const status = store.statuses.byUser.get(userId)
  const emoji = status?.emoji_code && status.reaction_type === 'unicode_emoji' ? `${glyphOf(status.emoji_code)} ` : ''
  return `${emoji}${status?.status_text ?? ''}`.trim()
}
