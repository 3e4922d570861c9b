import { channelOf, type Narrow, topicOf, usersOf } from '@parley/client/narrow'
import type { Store } from '@parley/client/store'
import { topicName } from '../channels/topic-name.ts'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'

export function channelOfStore({ channels }: Store, id: number) {
  return channels.subscribed.get(id) ?? channels.neverSubscribed.get(id) ?? channels.left.get(id)
}

/** The name of a narrow, for headings and the title of the window. */
export function titleOf(narrow: Narrow, store: Store): string {
  const topic = topicOf(narrow)
  if (topic) return topicName(topic.topic)
  const users = usersOf(narrow)
  if (users) return namesOf(store, users)
  const channelId = channelOf(narrow)
  if (channelId !== undefined && narrow.length === 1)
    return channelOfStore(store, channelId)?.name ?? t('channel.unknown')
  const [term] = narrow
  if (!term) return t('nav.feed')
  if (term.operator === 'is')
    return term.operand === 'mentioned'
      ? t('nav.mentions')
      : term.operand === 'starred'
        ? t('nav.starred')
        : String(term.operand)
  return narrow
    .map(({ operator, operand }) => (operator === 'search' ? String(operand) : `${operator}: ${operand}`))
    .join(' ')
}
