import { channelOf, type Narrow, narrows, topicOf, usersOf } from '@parley/client/narrow'
import type { Store } from '@parley/client/store'
import { memo, useDeferredValue } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { knownTopics } from '../channels/topics.ts'
import { useTopics } from '../channels/use-topics.ts'
import { PresentAvatar } from '../people/avatar.tsx'
import { namesOf, statusText } from '../people/presence.ts'
import { runCommand } from '../platform/commands.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { keyLabel } from '../platform/keys.ts'
import { goTo, useHash } from '../platform/routing.ts'
import { useCalmStore, useSession } from '../session/context.tsx'
import { channelHash, narrowHash, parseNarrow, parseTopics, topicsHash } from '../session/links.ts'
import { TopicMenu } from '../topics/topic-menu.tsx'
import { IconButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { openMenuInside } from '../ui/menu.tsx'
import { type ChannelEntry, channelSections, directEntries, firstChannels } from './model.ts'

interface SidebarProps {
  onJump: () => void
  onNewMessage: () => void
}

export const Sidebar = memo(function Sidebar({ onJump, onNewMessage }: SidebarProps) {
  const store = useCalmStore()
  const session = useSession()
  const hash = useHash()
  const listed = parseTopics(hash)
  const open = listed === undefined ? (parseNarrow(hash)?.narrow ?? []) : narrows.channel(listed)
  const own = store.users.byId.get(session.viewerId)
  const limit = useDeferredValue(Number.POSITIVE_INFINITY, fittingItems())
  return (
    <aside className="side" aria-label={t('nav.navigation')}>
      <div className="org">
        <span className="mark">
          <Icon name="waves-horizontal" />
        </span>
        <span className="name">{String(store.realm.settings.name ?? 'Parley')}</span>
        <IconButton label={t('sidebar.newMessage')} icon="square-pen" look="primary" onClick={onNewMessage} />
      </div>
      <button type="button" className="jump" onClick={onJump}>
        <Icon name="search" size="s" /> <span>{t('palette.title')}</span> <kbd>{keyLabel('Ctrl+k')}</kbd>
      </button>
      <nav aria-label={t('nav.conversations')}>
        <Screens store={store} hash={hash} />
        <h2>
          {t('sidebar.direct')}
          <IconButton label={t('keys.newDirect')} icon="plus" look="tiny" onClick={() => runCommand('newDirect')} />
        </h2>
        {directEntries(store, 8).map(({ userIds, unread }) => (
          <Item
            key={userIds.join()}
            href={narrowHash(narrows.direct(userIds), store)}
            isOpen={usersOf(open)?.join() === userIds.join()}
            unread={unread}
          >
            <PresentAvatar userId={userIds[0] ?? session.viewerId} />
            <span className="name">{namesOf(store, userIds)}</span>
          </Item>
        ))}
        {firstChannels(channelSections(store), limit).map(({ name, channels }) => (
          <section key={name} aria-label={name}>
            <h2>
              {name}
              <IconButton label={t('channel.new')} icon="plus" look="tiny" onClick={() => goTo('#channels/new')} />
            </h2>
            {channels.map((channel) => (
              <ChannelItem key={channel.id} channel={channel} store={store} open={open} />
            ))}
          </section>
        ))}
        <a className="item quiet" href="#channels">
          <Icon name="plus" />
          <span className="name">{t('sidebar.browse')}</span>
        </a>
      </nav>
      <div className="me">
        <PresentAvatar userId={session.viewerId} size="md" />
        <div className="who">
          <b>{own?.full_name}</b>
          <span dir="auto">{statusText(store, session.viewerId) || own?.email}</span>
        </div>
        <IconButton label={t('nav.settings')} icon="settings" onClick={() => goTo('#settings')} />
      </div>
    </aside>
  )
})

/** As many channels as a screen can show at most. The others are rendered after the first messages. */
function fittingItems(): number {
  return Math.ceil(window.innerHeight / 28)
}

const screens: [hash: string, name: PlainId, icon: IconName][] = [
  ['#inbox', 'nav.inbox', 'inbox'],
  ['#recent', 'nav.recent', 'clock'],
  ['#feed', 'nav.feed', 'messages'],
  ['#narrow/is/mentioned', 'nav.mentions', 'at-sign'],
  ['#narrow/is/starred', 'nav.starred', 'star'],
  ['#drafts', 'nav.drafts', 'pencil-line'],
  ['#scheduled', 'nav.scheduled', 'clock'],
]

function Screens({ store, hash }: { store: Store; hash: string }) {
  const mentions = store.unread.mentions.size
  const unread: Record<string, number> = { '#inbox': store.unread.count, '#narrow/is/mentioned': mentions }
  const hasStarCount = store.preferences.get('starred_message_counts') !== false
  const counts: Record<string, number> = {
    '#narrow/is/starred': hasStarCount ? store.starred.ids.length : 0,
    '#drafts': store.drafts.byId.size,
    '#scheduled': store.scheduled.byId.size,
  }
  const shown = screens.filter(([target]) => target !== '#scheduled' || hash === target || counts[target]! > 0)
  return shown.map(([target, name, icon]) => (
    <Item
      key={target}
      href={target}
      isOpen={hash === target || (hash === '' && target === '#inbox')}
      unread={unread[target] ?? 0}
      count={counts[target] ?? 0}
      look={target.includes('mentioned') ? 'at' : ''}
    >
      <Icon name={icon} />
      <span className="name">{t(name)}</span>
    </Item>
  ))
}

interface ItemProps {
  href: string
  isOpen: boolean
  unread: number
  /** A quiet number, of things that do not ask for attention. */
  count?: number
  look?: string
  className?: string
  color?: string
  children: React.ReactNode
}

function Item({ href, isOpen, unread, count = 0, look = '', className = '', color, children }: ItemProps) {
  const classes = ['item', unread > 0 && 'unread', isOpen && 'on', className].filter(Boolean).join(' ')
  const style = color === undefined ? undefined : ({ '--channel': color } as React.CSSProperties)
  return (
    <a className={classes} href={href} style={style} aria-current={isOpen ? 'page' : undefined}>
      {children}
      {count > 0 && <span className="count">{count}</span>}
      {unread > 0 && (
        <span className={`pill ${look}`} aria-label={t('inbox.unread', { count: unread })}>
          {unread}
        </span>
      )}
    </a>
  )
}

function ChannelItem({ channel, store, open }: { channel: ChannelEntry; store: Store; open: Narrow }) {
  const isOpen = channelOf(open) === channel.id
  const topic = topicOf(open)
  return (
    <>
      <Item
        href={channelHash(channel.id, store)}
        isOpen={isOpen && topic === undefined}
        unread={isOpen ? 0 : channel.unread}
        look={channel.hasMention ? 'at' : channel.isMuted ? 'quiet' : ''}
        className={channel.isMuted ? 'muted' : ''}
        color={channel.color}
      >
        <Icon name={channel.isPrivate ? 'lock' : 'hash'} />
        <span className="name">{channel.name}</span>
      </Item>
      {isOpen && <TopicItems channel={channel} store={store} openTopic={topic?.topic} />}
    </>
  )
}

const shownTopics = 8
/** Of those with unread messages. */
const mostTopics = 30

function TopicItems({
  channel,
  store,
  openTopic,
}: {
  channel: ChannelEntry
  store: Store
  openTopic: string | undefined
}) {
  const session = useSession()
  // Those that are loaded later would otherwise move everything below.
  const topics = (useTopics(channel.id).topics ?? knownTopics(session, channel.id)).map(({ name }) => name)
  const unread = new Map(channel.topics.map((entry) => [entry.topic.toLowerCase(), entry]))
  const wanted = topics.filter((name, index) => index < shownTopics || unread.has(name.toLowerCase()))
  const shown = wanted.slice(0, mostTopics)
  if (openTopic !== undefined && !shown.includes(openTopic) && topics.includes(openTopic)) shown.push(openTopic)
  return (
    <div className="topics">
      {shown.map((name) => {
        const entry = unread.get(name.toLowerCase())
        const isResolved = name.startsWith('✔ ')
        return (
          <div key={name} className="topic-item" onContextMenu={openMenuInside}>
            <Item
              href={narrowHash(narrows.topic(channel.id, name), store)}
              isOpen={openTopic?.toLowerCase() === name.toLowerCase()}
              unread={entry?.unread ?? 0}
              look={entry?.hasMention ? 'at' : ''}
              className={[isResolved && 'resolved', store.topics.isMuted(channel.id, name) && 'muted']
                .filter(Boolean)
                .join(' ')}
            >
              {isResolved && <Icon name="check" size="s" />}
              <span className="name">{topicName(name)}</span>
            </Item>
            <TopicMenu place={{ stream_id: channel.id, topic: name }} look="tiny" />
          </div>
        )
      })}
      {topics.length > shown.length && (
        <a className="more" href={topicsHash(channel.id, store)}>
          {t('sidebar.moreTopics', { count: topics.length - shown.length })}
        </a>
      )}
    </div>
  )
}
