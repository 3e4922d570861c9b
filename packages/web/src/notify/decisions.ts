import type { QueueEvent } from '@parley/api/events'
import type { ShownMessage } from '@parley/client/messages/cache'
import { decideNotification, type NotificationDecision } from '@parley/client/messages/notifications'
import type { Store } from '@parley/client/store/store'
import { t } from '../platform/i18n.ts'

export type Arrived = Pick<Extract<QueueEvent, { type: 'message' }>, 'message' | 'flags'>

const maxKept = 1000
const kept = new Map<number, NotificationDecision>()

/** Decides about a new message, and keeps the decision for the question why. */
export function decideOnArrival(store: Store, arrived: Arrived, isShown: boolean): NotificationDecision {
  const decision = decideNotification(store, arrived, isShown)
  kept.set(arrived.message.id, decision)
  if (kept.size > maxKept) kept.delete(kept.keys().next().value!)
  return decision
}

/** The decision of that time; for messages from before, what the settings of today would decide. */
export function explain(store: Store, message: ShownMessage): NotificationDecision & { isPast: boolean } {
  const past = kept.get(message.id)
  if (past) return { ...past, isPast: true }
  const flags = message.flags.filter((flag) => flag !== 'read')
  return { ...decideNotification(store, { message, flags }), isPast: false }
}

const mention = /<span class="user-(group-)?mention" data-user-(?:group-)?id="(\d+)"/g

/** The name of the viewer's group that a message mentions, unless it mentions the viewer by name. */
export function mentionedGroup(store: Store, html: string): string | undefined {
  const mentions = [...html.matchAll(mention)]
  if (mentions.some(([, isGroup, id]) => !isGroup && Number(id) === store.viewer.id)) return undefined
  const groups = mentions.filter(([, isGroup, id]) => isGroup && store.groups.holds(Number(id), store.viewer.id))
  return store.groups.byId.get(Number(groups[0]?.[2]))?.name
}

export function questionOf({ desktop, sound }: Pick<NotificationDecision, 'desktop' | 'sound'>): string {
  return desktop || sound ? t('notify.why') : t('notify.whyNot')
}
