import { channelOf, type Narrow, narrows, topicOf } from '@parley/client/messages/narrow'
import { topicName } from '../channels/topic-name.ts'
import { useTopics } from '../channels/use-topics.ts'
import { Feed } from '../feed/feed.tsx'
import { channelOfStore, titleOf } from '../feed/titles.ts'
import { t } from '../platform/i18n.ts'
import { useIsPhone } from '../platform/phone.ts'
import { useHash } from '../platform/routing.ts'
import { plainText } from '../rendered/plain-text.ts'
import { useStore } from '../session/context.tsx'
import { narrowHash, parseNarrow, parseTopics, topicsHash } from '../session/links.ts'
import { Item } from '../sidebar/items.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, Failure, Skeleton } from '../ui/states.tsx'

const none = () => {}

/** Open channels, their topics and messages. */
export function Visit() {
  const hash = useHash()
  const isPhone = useIsPhone()
  const narrow = narrowOf(hash)
  return (
    <div className="app">
      {!isPhone && <OpenChannels hash={hash} />}
      <div className="column">
        <VisitedScreen key={hash} hash={hash} narrow={narrow} />
      </div>
    </div>
  )
}

function narrowOf(hash: string): Narrow | undefined {
  const listed = parseTopics(hash)
  return listed === undefined ? parseNarrow(hash)?.narrow : narrows.channel(listed)
}

function VisitedScreen({ hash, narrow }: { hash: string; narrow: Narrow | undefined }) {
  const store = useStore()
  const channelId = narrow && channelOf(narrow)
  if (channelId === undefined) return <ChannelList />
  if (!narrow || !channelOfStore(store, channelId)) return <NotOpen />
  const isList = !topicOf(narrow)
  return (
    <main className="main">
      <VisitHeader narrow={narrow} />
      {isList ? (
        <Topics channelId={channelId} />
      ) : (
        <Feed
          narrow={narrow}
          near={parseNarrow(hash)?.near}
          emptyText={t('feed.notFound')}
          onQuote={none}
          marksRead={false}
        />
      )}
      <SignInLine />
    </main>
  )
}

function VisitHeader({ narrow }: { narrow: Narrow }) {
  const store = useStore()
  const channel = channelOfStore(store, channelOf(narrow)!)!
  const isTopic = topicOf(narrow) !== undefined
  return (
    <header className="bar">
      <div className="two">
        <a className="crumb" href={isTopic ? topicsHash(channel.stream_id, store) : '#channels'}>
          <Icon name={isTopic ? 'hash' : 'chevron-left'} />
          {isTopic ? channel.name : t('visit.channels')}
        </a>
        <span className="sep crumb">
          <Icon name="chevron-right" size="s" />
        </span>
        <h1>{titleOf(narrow, store)}</h1>
        {!isTopic && <span className="about wide">{plainText(channel.rendered_description)}</span>}
      </div>
      <SignIn />
    </header>
  )
}

/** Returns here afterwards. */
const signInUrl = () => `/login${window.location.hash}`

function SignIn() {
  return (
    <a className="btn primary end" href={signInUrl()}>
      {t('visit.signIn')}
    </a>
  )
}

/** In the place of the composer. */
function SignInLine() {
  const { realm } = useStore()
  return (
    <div className="compose">
      <p className="closed-line">
        <Icon name="eye" size="s" />
        <span>{t('visit.reading', { name: realm.settings.name ?? 'Parley' })}</span>
        <a className="linkish" href={signInUrl()}>
          {t('visit.takePart')}
        </a>
      </p>
    </div>
  )
}

/** The channels beside what is open. */
function OpenChannels({ hash }: { hash: string }) {
  const store = useStore()
  const { realm, channels } = store
  const open = channelOf(narrowOf(hash) ?? [])
  return (
    <aside className="side" aria-label={t('nav.navigation')}>
      <div className="org">
        <span className="mark">
          <Icon name="waves-horizontal" />
        </span>
        <span className="name">{realm.settings.name}</span>
      </div>
      <nav aria-label={t('visit.channels')}>
        <h2>{t('visit.channels')}</h2>
        {[...channels.subscribed.values()].map((channel) => (
          <Item
            key={channel.stream_id}
            href={topicsHash(channel.stream_id, store)}
            isOpen={channel.stream_id === open}
            unread={0}
          >
            <Icon name="hash" />
            <span className="name">{channel.name}</span>
          </Item>
        ))}
      </nav>
    </aside>
  )
}

function ChannelList() {
  const store = useStore()
  const { channels } = store
  return (
    <main className="main">
      <header className="bar">
        <div className="two">
          <h1>{t('visit.channels')}</h1>
        </div>
        <SignIn />
      </header>
      <div className="topic-list">
        {channels.subscribed.size === 0 && <Empty icon="hash" title={t('visit.none')} />}
        <ul>
          {[...channels.subscribed.values()].map((channel) => (
            <li key={channel.stream_id} className="topic-row">
              <a href={topicsHash(channel.stream_id, store)}>
                <Icon name="hash" />
                <span className="title">
                  <b>{channel.name}</b>
                </span>
                <span className="latest" dir="auto">
                  {plainText(channel.rendered_description)}
                </span>
              </a>
            </li>
          ))}
        </ul>
      </div>
      <SignInLine />
    </main>
  )
}

function Topics({ channelId }: { channelId: number }) {
  const store = useStore()
  const { topics, error, retry } = useTopics(channelId)
  return (
    <div className="topic-list">
      {error && <Failure error={error} onRetry={retry} />}
      {!topics && !error && <Skeleton />}
      {topics?.length === 0 && <Empty icon="messages" title={t('channel.noTopics')} />}
      <ul>
        {topics?.map(({ name }) => (
          <li key={name} className="topic-row">
            <a href={narrowHash(narrows.topic(channelId, name), store)}>
              <Icon name="message-circle" />
              <span className="title">
                <b>{topicName(name)}</b>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

function NotOpen() {
  return (
    <main className="main">
      <Empty isWholeScreen icon="lock" title={t('visit.notOpen')}>
        <SignIn />
        <a className="linkish" href="#channels">
          {t('visit.channels')}
        </a>
      </Empty>
    </main>
  )
}
