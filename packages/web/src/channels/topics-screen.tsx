import { narrows } from '@parley/client/narrow'
import { topicKey } from '@parley/client/topics'
import { useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { Composer } from '../compose/composer.tsx'
import { Header } from '../feed/header.tsx'
import { channelOfStore } from '../feed/titles.ts'
import { t } from '../platform/i18n.ts'
import { useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { type TopicEntry, unreadCounts } from '../sidebar/model.ts'
import { isResolved, policies } from '../topics/actions.ts'
import type { TopicPlace } from '../topics/moving.ts'
import { TopicMenu } from '../topics/topic-menu.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { openMenuInside } from '../ui/menu.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Empty, Failure, Skeleton } from '../ui/states.tsx'
import { useTopics } from './use-topics.ts'

const shownAtOnce = 100

/** The topics of a channel, the latest first. */
export function TopicsScreen({ channelId }: { channelId: number }) {
  const store = useStore()
  const { topics, error, retry } = useTopics(channelId)
  const unread = unreadCounts(store).topics.get(channelId)
  const [query, setQuery] = useState('')
  const [limit, setLimit] = useState(shownAtOnce)
  const found = topics?.filter(({ name }) => topicName(name).toLowerCase().includes(query.toLowerCase()))
  if (!channelOfStore(store, channelId))
    return (
      <main className="main">
        <Empty icon="lock" title={t('channel.noAccess')} />
      </main>
    )
  return (
    <main className="main">
      <Header narrow={narrows.channel(channelId)} tab="topics" />
      <div className="topic-list">
        <SearchField label={t('channel.filterTopics')} value={query} onChange={setQuery} />
        {error && <Failure error={error} onRetry={retry} />}
        {!topics && !error && <Skeleton />}
        {found?.length === 0 && <Empty icon="messages" title={t('channel.noTopics')} />}
        <ul>
          {found?.slice(0, limit).map(({ name }) => (
            <TopicRow
              key={name}
              place={{ stream_id: channelId, topic: name }}
              entry={unread?.get(topicKey(channelId, name))}
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

function TopicRow({ place, entry }: { place: TopicPlace; entry: TopicEntry | undefined }) {
  const store = useStore()
  const { stream_id, topic } = place
  const isMuted = store.topics.isMuted(stream_id, topic)
  const isFollowed = store.topics.policyOf(stream_id, topic) === policies.followed
  return (
    <li className={`topic-row ${isMuted ? 'muted' : ''}`} onContextMenu={openMenuInside}>
      <a href={narrowHash(narrows.topic(stream_id, topic), store)}>
        <Icon name={isResolved(topic) ? 'check' : 'message-circle'} size="s" />
        <b className={entry ? 'unread' : ''}>{topicName(topic)}</b>
        {isFollowed && <Icon name="bell-ring" size="s" />}
      </a>
      {entry?.hasMention && <span className="pill at">@</span>}
      {entry && (
        <span className="pill" aria-label={t('inbox.unread', { count: entry.unread })}>
          {entry.unread}
        </span>
      )}
      <TopicMenu place={place} look="tiny" />
    </li>
  )
}
