import type { Store } from '@parley/client/store'
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
