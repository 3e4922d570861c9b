import { channelOf, type Narrow, narrows, topicOf } from '@parley/client/messages/narrow'
import type { Store } from '@parley/client/store/store'
import { type ReactNode, useEffect, useRef } from 'react'
import { ChannelMenu } from '../channels/channel-menu.tsx'
import { topicName } from '../channels/topic-name.ts'
import { knownTopics } from '../channels/topics.ts'
import { useTopics } from '../channels/use-topics.ts'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { channelHash, narrowHash, topicsHash } from '../session/links.ts'
import { TopicMenu } from '../topics/topic-menu.tsx'
import { Icon } from '../ui/icon.tsx'
import { opensItsMenu } from '../ui/menu.tsx'
import { UnreadPill } from '../ui/unread-pill.tsx'
import type { ChannelEntry, TopicEntry } from './model.ts'

interface ItemProps {
  href: string
  isOpen?: boolean
  unread: number
  /** A quiet number, of things that do not ask for attention. */
  count?: number
  look?: string
  className?: string
  color?: string
  title?: string
  children: ReactNode
}

export function Item({
  href,
  isOpen = false,
  unread,
  count = 0,
  look = '',
  className = '',
  color,
  title,
  children,
}: ItemProps) {
  const classes = ['item', unread > 0 && 'unread', isOpen && 'on', className].filter(Boolean).join(' ')
  const link = useRef<HTMLAnchorElement>(null)
  const top = useRef<number>(undefined)
  // Once, and again when what is above it has changed, but not against the viewer.
  useEffect(() => {
    const now = isOpen ? link.current?.offsetTop : undefined
    if (now !== undefined && now !== top.current) link.current?.scrollIntoView({ block: 'nearest' })
    top.current = now
  })
  const style = color === undefined ? undefined : { '--channel': color }
  return (
    <a
      ref={link}
      className={classes}
      href={href}
      title={title}
      style={style}
      aria-current={isOpen ? 'page' : undefined}
    >
      {children}
      {count > 0 && <span className="count">{count}</span>}
      {unread > 0 && <UnreadPill count={unread} look={look} />}
    </a>
  )
}

interface ChannelProps {
  channel: ChannelEntry
  store: Store
  isOpen?: boolean
  /** Its topics are shown below, with their own numbers. */
  isUnfolded?: boolean
  /** A channel that is dragged would stand before it. */
  isDropPlace?: boolean
}

/** A channel with its menu, which also opens by right click and long press. */
export function ChannelLine({ channel, store, isOpen = false, isUnfolded = false, isDropPlace }: ChannelProps) {
  const { id, name } = channel
  return (
    <div className="menu-item" data-channel={id} ref={opensItsMenu}>
      {isDropPlace && <div className="drop-line" />}
      <Item
        href={channelHash(id, store)}
        isOpen={isOpen}
        unread={isUnfolded ? 0 : channel.unread}
        look={channel.hasMention ? 'at' : channel.isMuted ? 'quiet' : ''}
        className={channel.isMuted ? 'muted' : ''}
        color={channel.color}
        title={name}
      >
        <Icon name={channel.isPrivate ? 'lock' : 'hash'} />
        <span className="name">{name}</span>
      </Item>
      <ChannelMenu channelId={id} name={name} look="tiny" />
    </div>
  )
}

interface ChannelItemProps {
  channel: ChannelEntry
  store: Store
  open: Narrow
  isUnreadOnly: boolean
  isDropPlace: boolean
}

/** A channel, with its topics if it is open, or with the unread ones if nothing else is shown. */
export function ChannelItem({ channel, store, open, isUnreadOnly, isDropPlace }: ChannelItemProps) {
  const isOpen = channelOf(open) === channel.id
  const topic = topicOf(open)
  const isUnfolded = isOpen || (isUnreadOnly && channel.topics.length > 0)
  return (
    <>
      <ChannelLine
        channel={channel}
        store={store}
        isOpen={isOpen && topic === undefined}
        isUnfolded={isUnfolded}
        isDropPlace={isDropPlace}
      />
      {isOpen && !isUnreadOnly && <TopicItems channel={channel} store={store} openTopic={topic?.topic} />}
      {isUnfolded && isUnreadOnly && (
        <UnreadTopics channel={channel} store={store} openTopic={isOpen ? topic?.topic : undefined} />
      )}
    </>
  )
}

interface TopicsProps {
  channel: ChannelEntry
  store: Store
  openTopic: string | undefined
}

/** The topics with unread messages, and the open one. */
function UnreadTopics({ channel, store, openTopic }: TopicsProps) {
  const unread = channel.topics.filter(({ topic }) => !store.topics.isMuted(channel.id, topic)).slice(0, mostTopics)
  const isOpen = (name: string) => name.toLowerCase() === openTopic?.toLowerCase()
  const names = unread.map(({ topic }) => topic)
  if (openTopic !== undefined && !names.some(isOpen)) names.push(openTopic)
  return (
    <div className="topics">
      {names.map((name, index) => (
        <TopicLine key={name} channel={channel} store={store} name={name} entry={unread[index]} isOpen={isOpen(name)} />
      ))}
    </div>
  )
}

interface TopicLineProps {
  channel: ChannelEntry
  store: Store
  name: string
  entry: TopicEntry | undefined
  isOpen?: boolean
}

/** A topic under its channel. */
export function TopicLine({ channel, store, name, entry, isOpen = false }: TopicLineProps) {
  const isResolved = name.startsWith('✔ ')
  const classes = [isResolved && 'resolved', store.topics.isMuted(channel.id, name) && 'muted']
  return (
    <div className="menu-item" ref={opensItsMenu}>
      <Item
        href={narrowHash(narrows.topic(channel.id, name), store)}
        isOpen={isOpen}
        unread={entry?.unread ?? 0}
        look={entry?.hasMention ? 'at' : ''}
        className={classes.filter(Boolean).join(' ')}
      >
        {isResolved && <Icon name="check" size="s" />}
        <span className="name">{topicName(name)}</span>
      </Item>
      <TopicMenu place={{ stream_id: channel.id, topic: name }} look="tiny" />
    </div>
  )
}

const shownTopics = 8
/** Of those with unread messages. */
const mostTopics = 30

function TopicItems({ channel, store, openTopic }: TopicsProps) {
  const session = useSession()
  // Those that are loaded later would otherwise move everything below.
  const topics = (useTopics(channel.id).topics ?? knownTopics(session, channel.id)).map(({ name }) => name)
  const unread = new Map(channel.topics.map((entry) => [entry.topic.toLowerCase(), entry]))
  const wanted = topics.filter((name, index) => index < shownTopics || unread.has(name.toLowerCase()))
  const shown = wanted.slice(0, mostTopics)
  if (openTopic !== undefined && !shown.includes(openTopic) && topics.includes(openTopic)) shown.push(openTopic)
  return (
    <div className="topics">
      {shown.map((name) => (
        <TopicLine
          key={name}
          channel={channel}
          store={store}
          name={name}
          entry={unread.get(name.toLowerCase())}
          isOpen={openTopic?.toLowerCase() === name.toLowerCase()}
        />
      ))}
      {topics.length > shown.length && (
        <a className="more" href={topicsHash(channel.id, store)}>
          {t('sidebar.moreTopics', { count: topics.length - shown.length })}
        </a>
      )}
    </div>
  )
}
