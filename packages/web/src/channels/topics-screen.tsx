import { topicPolicies } from '@parley/api/topic-policies'
import { ConversationList, type ListedConversation } from '@parley/client/messages/conversation-list'
import { narrows } from '@parley/client/messages/narrow'
import { topicKey } from '@parley/client/store/topics'
import { useEffect, useMemo, useState } from 'react'
import { Composer } from '../compose/composer.tsx'
import { Header } from '../feed/header.tsx'
import { channelOfStore } from '../feed/titles.ts'
import { Faces } from '../people/avatar.tsx'
import { type PlainId, t } from '../platform/i18n.ts'
import { shortTime } from '../platform/times.ts'
import { plainText, speaker } from '../rendered/plain-text.ts'
import { useChanges, useSession, useSlices } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { type TopicEntry, unreadCounts } from '../sidebar/model.ts'
import { isResolved } from '../topics/actions.ts'
import type { TopicPlace } from '../topics/moving.ts'
import { TopicMenu } from '../topics/topic-menu.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { opensItsMenu } from '../ui/menu.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Segments } from '../ui/segments.tsx'
import { Empty, Failure, Skeleton } from '../ui/states.tsx'
import { UnreadPill } from '../ui/unread-pill.tsx'
import { ChannelPins } from './pins.tsx'
import { topicName } from './topic-name.ts'
import { useTopics } from './use-topics.ts'

type Shown = 'open' | 'unread' | 'all'

const choices: [Shown, PlainId][] = [
  ['open', 'channel.topics.open'],
  ['unread', 'recent.unread'],
  ['all', 'inbox.filter.all'],
]

const shownAtOnce = 50

/** The topics of a channel, the latest first, with their newest messages. */
export function TopicsScreen({ channelId }: { channelId: number }) {
  const store = useSlices('channels', 'unread')
  const { topics, error, retry } = useTopics(channelId)
  const unread = unreadCounts(store).topics.get(channelId)
  const [query, setQuery] = useState('')
  const [shown, setShown] = useState<Shown>('open')
  const [limit, setLimit] = useState(shownAtOnce)
  const list = useListedTopics(channelId)
  const passes: Record<Shown, (topic: string) => boolean> = {
    open: (topic) => !isResolved(topic) || unread?.has(topicKey(channelId, topic)) === true,
    unread: (topic) => unread?.has(topicKey(channelId, topic)) === true,
    all: () => true,
  }
  const found = topics
    ?.map(({ name }) => name)
    .filter((name) => passes[shown](name) && topicName(name).toLowerCase().includes(query.toLowerCase()))
  const rows = found?.slice(0, limit) ?? []
  const details = new Map(list.entries.map((entry) => [entry.key, entry]))
  useEffect(() => {
    if (rows.some((name) => !details.has(topicKey(channelId, name))) && !list.error) void list.loadMore()
  })
  if (!channelOfStore(store, channelId))
    return (
      <main className="main">
        <Empty icon="lock" title={t('channel.noAccess')} />
      </main>
    )
  return (
    <main className="main">
      <Header narrow={narrows.channel(channelId)} tab="topics" />
      <ChannelPins key={channelId} channelId={channelId} />
      <div className="topic-list">
        <div className="list-tools">
          <SearchField label={t('channel.filterTopics')} value={query} onChange={setQuery} />
          <Segments
            label={t('recent.show')}
            options={choices.map(([value, label]) => [value, t(label)] as const)}
            value={shown}
            onChange={setShown}
          />
        </div>
        {error && <Failure error={error} onRetry={retry} />}
        {!topics && !error && <Skeleton />}
        {found?.length === 0 && <Empty icon="messages" title={t('channel.noTopics')} />}
        <ul>
          {rows.map((name) => (
            <TopicRow
              key={name}
              place={{ stream_id: channelId, topic: name }}
              entry={unread?.get(topicKey(channelId, name))}
              details={details.get(topicKey(channelId, name))}
            />
          ))}
        </ul>
        {found && found.length > limit && (
          <Button look="outline" onClick={() => setLimit(limit + shownAtOnce)}>
            {t('channel.moreTopics')}
          </Button>
        )}
      </div>
      <Composer destination={undefined} channelId={channelId} />
    </main>
  )
}

/** The newest message of each topic and who wrote in it, loaded page by page. */
function useListedTopics(channelId: number): ConversationList {
  const session = useSession()
  useChanges()
  const list = useMemo(() => new ConversationList('all', session, channelId), [session, channelId])
  const { connection } = session
  useEffect(() => {
    if (connection === 'online') void list.reload()
    return session.onEvent((event) => list.apply(event))
  }, [session, list, connection])
  return list
}

interface TopicRowProps {
  place: TopicPlace
  entry: TopicEntry | undefined
  /** Undefined until they are loaded. */
  details: ListedConversation | undefined
}

function TopicRow({ place, entry, details }: TopicRowProps) {
  const store = useSlices('channels', 'topics')
  const { stream_id, topic } = place
  const isMuted = store.topics.isMuted(stream_id, topic)
  const isFollowed = store.topics.policyOf(stream_id, topic) === topicPolicies.followed
  const isDone = isResolved(topic)
  return (
    <li className={`topic-row ${isMuted || isDone ? 'muted' : ''}`} ref={opensItsMenu}>
      <a href={narrowHash(narrows.topic(stream_id, topic), store)}>
        <Icon name={isDone ? 'check' : 'message-circle'} />
        <span className="title">
          <b className={entry ? 'unread' : ''}>{topicName(topic)}</b>
          {isFollowed && <Icon name="bell-ring" size="s" />}
        </span>
        <span className="latest" dir="auto">
          {details && (
            <>
              <b>{speaker(details.last.sender_full_name, details.last.content)}</b> {plainText(details.last.content)}
            </>
          )}
        </span>
        <Faces userIds={details?.participants ?? []} most={4} size="sm" />
        <time>{details && shortTime(details.last.timestamp)}</time>
      </a>
      <span className="pills">
        {entry?.hasMention && <span className="pill at">@</span>}
        {entry && <UnreadPill count={entry.unread} />}
      </span>
      <TopicMenu place={place} look="tiny" />
    </li>
  )
}
