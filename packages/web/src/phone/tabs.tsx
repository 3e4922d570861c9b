import { lookup } from '@parley/api/lookup'
import { type PlainId, t } from '../platform/i18n.ts'
import { useHash } from '../platform/routing.ts'
import { useSlices } from '../session/context.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'

const tabs: [hash: string, label: PlainId, icon: IconName][] = [
  ['#inbox', 'nav.inbox', 'inbox'],
  ['#direct', 'inbox.filter.direct', 'message-circle'],
  ['#channels', 'nav.channels', 'hash'],
  ['#search', 'keys.searchShort', 'search'],
  ['#you', 'nav.you', 'circle-user-round'],
]

/** Screens that belong to a tab, apart from its own. */
const ofYou = /^#(settings|organization|groups|drafts|scheduled|recent|feed)/
/** Lists to choose from, where one may want to write to another user. */
const withWriteButton = /^(#(inbox|direct|channels|recent|drafts|scheduled)?)$/

function tabOf(hash: string): string {
  if (ofYou.test(hash)) return '#you'
  return tabs.find(([target]) => hash.startsWith(target))?.[0] ?? '#inbox'
}

let latestTab = '#inbox'

/** Where a conversation was opened from. */
export function tabBehind(): string {
  return latestTab
}

/** On phones, in place of the sidebar, with a button for new messages. Conversations have all the room. */
export function Tabs({ onNewMessage }: { onNewMessage: (kind: 'channel' | 'direct') => void }) {
  const hash = useHash()
  if (/^#(narrow|topics|files)\//.test(hash)) return null
  const open = tabOf(hash)
  latestTab = open
  return (
    <>
      {withWriteButton.test(hash) && (
        <button
          type="button"
          className="write"
          aria-label={t('sidebar.newMessage')}
          onClick={() => onNewMessage(open === '#direct' ? 'direct' : 'channel')}
        >
          <Icon name="square-pen" size="l" />
        </button>
      )}
      <nav className="tabs" aria-label={t('nav.main')}>
        {tabs.map((tab) => (
          <Tab key={tab[0]} tab={tab} isOpen={tab[0] === open} />
        ))}
      </nav>
    </>
  )
}

function Tab({ tab: [target, label, icon], isOpen }: { tab: (typeof tabs)[number]; isOpen: boolean }) {
  const { unread } = useSlices('unread')
  const direct = [...unread.conversations.values()].filter(({ place }) => 'user_ids' in place)
  const counts: Record<string, number> = {
    '#inbox': unread.count,
    '#direct': direct.reduce((sum, { ids }) => sum + ids.size, 0),
  }
  const count = lookup(counts, target) ?? 0
  return (
    <a href={target} className={isOpen ? 'on' : ''} aria-current={isOpen ? 'page' : undefined}>
      <Icon name={icon} size="l" />
      {t(label)}
      {count > 0 && <span className="pill">{count}</span>}
    </a>
  )
}
