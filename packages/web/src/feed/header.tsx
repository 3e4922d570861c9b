import { topicPolicies } from '@parley/api/topic-policies'
import { channelOf, type Narrow, narrows, topicOf, usersOf } from '@parley/client/messages/narrow'
import { ChannelMenu } from '../channels/channel-menu.tsx'
import { topicName } from '../channels/topic-name.ts'
import { CallButton } from '../compose/call-button.tsx'
import { Faces } from '../people/avatar.tsx'
import { tabBehind } from '../phone/tabs.tsx'
import { runCommand } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { plainText } from '../rendered/plain-text.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { filesHash, narrowHash, topicsHash } from '../session/links.ts'
import { writersOf } from '../session/writers.ts'
import { isResolved, setTopicPolicy, toggleResolved } from '../topics/actions.ts'
import type { TopicPlace } from '../topics/moving.ts'
import { TopicMenu } from '../topics/topic-menu.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { channelOfStore, titleOf } from './titles.ts'

type ChannelTab = 'topics' | 'messages' | 'files'

interface HeaderProps {
  narrow: Narrow
  tab?: ChannelTab
  /** Opens and closes what is known about the topic. */
  details?: { isOpen: boolean; toggle: () => void }
}

/** The name of what is shown, with what can be done with it. */
export function Header({ narrow, tab, details }: HeaderProps) {
  const store = useSlices('channels', 'users')
  const channelId = channelOf(narrow)
  const channel = channelId === undefined ? undefined : channelOfStore(store, channelId)
  const color = store.channels.subscribed.get(channelId ?? -1)?.color
  const topic = topicOf(narrow)
  return (
    <header className="bar" style={{ '--channel': color }}>
      <IconButton label={t('common.back')} icon="chevron-left" look="back" onClick={() => goTo(tabBehind())} />
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
        {topic && isResolved(topic.topic) && (
          <span className="resolved-mark" role="img" aria-label={t('topic.resolved')} title={t('topic.resolved')}>
            <Icon name="circle-check" />
          </span>
        )}
        <h1>{titleOf(narrow, store)}</h1>
        {channel && !topic && <span className="about wide">{plainText(channel.rendered_description)}</span>}
      </div>
      {topic && <Writers narrow={narrow} />}
      {(channel || usersOf(narrow)) && (
        <IconButton label={t('search.here')} icon="search" look="to-search" onClick={() => runCommand('search')} />
      )}
      <IconButton
        label={t('keys.jumpToDate')}
        icon="calendar"
        look={usersOf(narrow) ? 'to-date' : 'to-date wide'}
        onClick={() => runCommand('jumpToDate')}
      />
      {usersOf(narrow) && <CallButton name={titleOf(narrow, store)} look="wide" />}
      {topic && <TopicButtons place={topic} details={details} />}
      {tab && channelId !== undefined && <ChannelTabs channelId={channelId} tab={tab} />}
      {channel && channelId !== undefined && !topic && <ChannelMenu channelId={channelId} name={channel.name} />}
    </header>
  )
}

/** Who wrote here last. */
function Writers({ narrow }: { narrow: Narrow }) {
  const session = useSession()
  const people = writersOf(session, narrow)
  if (people.length < 2) return null
  return (
    <span className="faces wide">
      <Faces userIds={people} most={5} size="sm" />
    </span>
  )
}

function ChannelTabs({ channelId, tab }: { channelId: number; tab: ChannelTab }) {
  const store = useSlices('channels')
  const links = [
    ['topics', t('channel.tab.topics'), topicsHash(channelId, store)],
    ['messages', t('channel.tab.messages'), narrowHash(narrows.channel(channelId), store)],
    ['files', t('details.files'), filesHash(channelId, store)],
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
  const store = useSlices('topics')
  const isFollowed = store.topics.policyOf(place.stream_id, place.topic) === topicPolicies.followed
  return (
    <div className="end">
      <CallButton name={topicName(place.topic)} look="wide" />
      <Button
        look={isFollowed ? 'on wide' : 'outline wide'}
        icon="bell-ring"
        aria-pressed={isFollowed}
        onClick={() => setTopicPolicy(session, place, isFollowed ? topicPolicies.none : topicPolicies.followed)}
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
