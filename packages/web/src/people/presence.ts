import type { Slices } from '@parley/client/store/store'
import { glyphOf } from '@parley/markdown/glyph'
import { t } from '../platform/i18n.ts'
import { shortTime } from '../platform/times.ts'

/** Whether the user was active in the last minutes. */
export function isOnline({ presence, settings }: Slices<'presence'>, userId: number): boolean {
  const seen = presence.lastSeen(userId)?.active_timestamp ?? 0
  return presence.now() - seen < Number(settings.server_presence_offline_threshold_seconds)
}

export function nameOf(store: Slices<'users'>, userId: number): string {
  return (
    store.users.byId.get(userId)?.full_name ??
    store.users.systemBots.find((bot) => bot.user_id === userId)?.full_name ??
    t('people.unknown')
  )
}

/** "Ann, Ben"; notes to oneself carry the viewer's own name. */
export function namesOf(store: Slices<'users'>, userIds: readonly number[]): string {
  return userIds.map((id) => nameOf(store, id)).join(', ')
}

/** The emoji and the text of the user's status and its end, or nothing. */
export function statusText(store: Slices<'statuses'>, userId: number): string {
  const status = store.statuses.byUser.get(userId)
  const emoji = status?.emoji_code && status.reaction_type === 'unicode_emoji' ? `${glyphOf(status.emoji_code)} ` : ''
  const end = status?.scheduled_end_time
  const until = end ? ` ${t('status.until', { time: shortTime(end) })}` : ''
  return `${emoji}${status?.status_text ?? ''}${until}`.trim()
}
