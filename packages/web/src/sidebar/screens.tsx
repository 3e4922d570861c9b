import { lookup } from '@parley/api/lookup'
import type { Store } from '@parley/client/store/store'
import { type PlainId, t } from '../platform/i18n.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Item } from './items.tsx'

const screens: [hash: string, name: PlainId, icon: IconName][] = [
  ['#inbox', 'nav.inbox', 'inbox'],
  ['#recent', 'nav.recent', 'clock'],
  ['#feed', 'nav.feed', 'messages'],
  ['#narrow/is/mentioned', 'nav.mentions', 'at-sign'],
  ['#narrow/is/starred', 'nav.starred', 'star'],
  ['#drafts', 'nav.drafts', 'pencil-line'],
  ['#scheduled', 'nav.scheduled', 'clock'],
]

interface ScreensProps {
  store: Store
  hash: string
  isUnreadOnly: boolean
}

/** The screens of the client, with what is counted in them. */
export function Screens({ store, hash, isUnreadOnly }: ScreensProps) {
  const mentions = store.unread.mentions.size
  const unread: Record<string, number> = { '#inbox': store.unread.count, '#narrow/is/mentioned': mentions }
  const hasStarCount = store.preferences.get('starred_message_counts') !== false
  const counts: Record<string, number> = {
    '#narrow/is/starred': hasStarCount ? store.starred.ids.length : 0,
    '#drafts': store.drafts.byId.size,
    '#scheduled': store.scheduled.byId.size + store.reminders.byId.size,
  }
  const of = (table: Record<string, number>, target: string) => lookup(table, target) ?? 0
  const isShown = (target: string) => {
    if (target === '#inbox' || target === hash) return true
    return isUnreadOnly ? of(unread, target) > 0 : target !== '#scheduled' || of(counts, target) > 0
  }
  const shown = screens.filter(([target]) => isShown(target))
  return shown.map(([target, name, icon]) => (
    <Item
      key={target}
      href={target}
      isOpen={hash === target || (hash === '' && target === '#inbox')}
      unread={of(unread, target)}
      count={of(counts, target)}
      look={target.includes('mentioned') ? 'at' : ''}
      title={t(name)}
    >
      <Icon name={icon} />
      <span className="name">{t(name)}</span>
    </Item>
  ))
}
