import { channelOf, type Narrow, narrows, topicOf, usersOf } from '@parley/client/narrow'
import { Faces } from '../people/avatar.tsx'
import { runCommand } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash, topicsHash } from '../session/links.ts'
import { isResolved, policies, setTopicPolicy, toggleResolved } from '../topics/actions.ts'
import type { TopicPlace } from '../topics/moving.ts'
import { TopicMenu } from '../topics/topic-menu.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { channelOfStore, titleOf } from './titles.ts'

interface HeaderProps {
  narrow: Narrow
  tab?: 'topics' | 'messages'
  /** Opens and closes what is known about the topic. */
  details?: { isOpen: boolean; toggle: () => void }
}

/** The name of what is shown, with what can be done with it. */
export function Header({ narrow, tab, details }: HeaderProps) {
  const store = useStore()
  const channelId = channelOf(narrow)
  const channel = channelId === undefined ? undefined : channelOfStore(store, channelId)
  const color = store.channels.subscribed.get(channelId ?? -1)?.color
  const topic = topicOf(narrow)
  return (
    <header className="bar" style={{ '--channel': color } as React.CSSProperties}>
      <IconButton label={t('common.back')} icon="chevron-left" look="back" onClick={() => goTo('#inbox')} />
      <div className="two">
        {channel && channelId !== undefined && topic && (
          <>
            <a className="crumb" href={narrowHash(narrows.channel(channelId), store)}>
              <Icon name={channel.invite_only ? 'lock' : 'hash'} />
              {channel.name}
            </a>
            <span className="sep crumb">
              <Icon name="chevron-right" size="s" />
            </span>
          </>
        )}
        <h1>{titleOf(narrow, store)}</h1>
        {channel && !topic && <span className="about wide">{channel.description}</span>}
      </div>
      {topic && <Writers narrow={narrow} />}
      {(channel || usersOf(narrow)) && (
        <IconButton label={t('search.here')} icon="search" look="to-search" onClick={() => runCommand('search')} />
      )}
      {topic && <TopicButtons place={topic} details={details} />}
      {tab && channelId !== undefined && <ChannelTabs channelId={channelId} tab={tab} />}
    </header>
  )
}

/** Long topics are not gone through each time. */
const newest = 100

/** Who wrote here last. */
function Writers({ narrow }: { narrow: Narrow }) {
  const session = useSession()
  const senders = session
    .window(narrow)
    .ids.slice(-newest)
    .map((id) => session.messages.byId.get(id)?.sender_id)
  const people = [...new Set(senders.reverse())].filter((id) => id !== undefined)
  if (people.length < 2) return null
  return (
    <span className="faces wide">
      <Faces userIds={people} most={5} size="sm" />
    </span>
  )
}

function ChannelTabs({ channelId, tab }: { channelId: number; tab: 'topics' | 'messages' }) {
  const store = useStore()
  const links = [
    ['topics', t('channel.tab.topics'), topicsHash(channelId, store)],
    ['messages', t('channel.tab.messages'), narrowHash(narrows.channel(channelId), store)],
  ] as const
  return (
    <nav className="end seg" aria-label={t('channel.tabs')}>
      {links.map(([name, label, href]) => (
        <a
          key={name}
          className={`btn ${tab === name ? 'on' : ''}`}
          href={href}
          aria-current={tab === name ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}

function TopicButtons({ place, details }: { place: TopicPlace; details: HeaderProps['details'] }) {
  const session = useSession()
  const store = useStore()
  const isFollowed = store.topics.policyOf(place.stream_id, place.topic) === policies.followed
  return (
    <div className="end">
      <Button
        look={isFollowed ? 'on wide' : 'outline wide'}
        icon="bell-ring"
        aria-pressed={isFollowed}
        onClick={() => setTopicPolicy(session, place, isFollowed ? policies.none : policies.followed)}
      >
        {isFollowed ? t('topic.following') : t('topic.follow')}
      </Button>
      <Button look="outline wide" icon="check" onClick={() => void toggleResolved(session, place)}>
        {isResolved(place.topic) ? t('topic.reopen') : t('topic.resolve')}
      </Button>
      {details && (
        <IconButton
          label={t('topic.about')}
          icon="panel-right"
          look={details.isOpen ? 'on wide' : 'wide'}
          aria-pressed={details.isOpen}
          onClick={details.toggle}
        />
      )}
      <TopicMenu place={place} {...(details && { onDetails: details.toggle })} />
    </div>
  )
}
