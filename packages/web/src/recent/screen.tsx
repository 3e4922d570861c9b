import type { ShownMessage } from '@parley/client/messages/cache'
import { narrows, othersOf } from '@parley/client/narrow'
import { useEffect, useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { conversationKey } from '../feed/rows.ts'
import { Avatar } from '../people/avatar.tsx'
import { namesOf } from '../people/presence.ts'
import { shortTime } from '../platform/times.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Icon } from '../ui/icon.tsx'
import { Empty, Failure, Skeleton } from '../ui/states.tsx'

/** The conversations of the latest messages, one line each. */
export function RecentScreen() {
  const session = useSession()
  const store = useStore()
  const [latest, setLatest] = useState<ShownMessage[]>()
  const [error, setError] = useState<Error>()
  const [query, setQuery] = useState('')
  const { newest } = store.conversations
  useEffect(() => {
    session.client
      .call('getMessages', {
        narrow: [],
        anchor: 'newest' as never,
        num_before: 1000,
        num_after: 0,
        allow_empty_topic_name: true,
        client_gravatar: true,
      })
      .then(({ messages }) => setLatest(latestOfEach(messages, session.viewerId)))
      .catch(setError)
  }, [session, newest])
  const shown = latest?.filter((message) =>
    titleLine(message, store, session.viewerId).toLowerCase().includes(query.toLowerCase()),
  )
  return (
    <main className="main">
      <header className="bar">
        <div className="two">
          <h1>Recent conversations</h1>
        </div>
        <div className="end">
          <input
            type="search"
            className="filter-input"
            aria-label="Filter conversations"
            placeholder="Filter"
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
        </div>
      </header>
      {error && <Failure error={error} />}
      {!latest && !error && <Skeleton />}
      {shown?.length === 0 && <Empty icon="clock" title="No conversations here yet. Start a topic." />}
      <div className="list recent">
        {shown?.map((message) => (
          <RecentRow key={message.id} message={message} />
        ))}
      </div>
    </main>
  )
}

function latestOfEach(messages: readonly ShownMessage[], viewerId: number): ShownMessage[] {
  const found = new Map(messages.map((message) => [conversationKey(message, viewerId), message]))
  return [...found.values()].sort((a, b) => b.id - a.id)
}

function titleLine(message: ShownMessage, store: ReturnType<typeof useStore>, viewerId: number): string {
  if (message.type === 'private') return namesOf(store, othersOf(message, viewerId))
  return `${store.channels.subscribed.get(message.stream_id!)?.name ?? message.display_recipient} ${topicName(message.subject)}`
}

function RecentRow({ message }: { message: ShownMessage }) {
  const store = useStore()
  const { viewerId } = useSession()
  const isTopic = message.type === 'stream'
  const narrow = isTopic
    ? narrows.topic(message.stream_id!, message.subject)
    : narrows.direct(othersOf(message, viewerId))
  const channel = isTopic ? store.channels.subscribed.get(message.stream_id!) : undefined
  return (
    <a className="conv" href={narrowHash(narrow, store)} style={{ '--channel': channel?.color } as React.CSSProperties}>
      <Avatar userId={message.sender_id} name={message.sender_full_name} url={message.avatar_url ?? null} />
      <div className="title">
        <b>{isTopic ? topicName(message.subject) : namesOf(store, othersOf(message, viewerId))}</b>
        {isTopic && (
          <span className="tag">
            <Icon name={channel?.invite_only ? 'lock' : 'hash'} size="s" />
            {channel?.name ?? String(message.display_recipient)}
          </span>
        )}
      </div>
      <time>{shortTime(message.timestamp)}</time>
      <p>{message.sender_full_name}</p>
    </a>
  )
}
