import type { ShownMessage } from '@parley/client/messages/cache'
import { channelOf, type Narrow, narrows, othersOf } from '@parley/client/messages/narrow'
import { topicName } from '../channels/topic-name.ts'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { clockTime, dayName, dayOf } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Icon } from '../ui/icon.tsx'
import type { Row } from './rows.ts'

/** Says that a channel may have earlier messages, which only those see who were subscribed then. */
export function HistoryStart({ narrow }: { narrow: Narrow }) {
  const store = useSlices('channels')
  const channel = store.channels.subscribed.get(channelOf(narrow) ?? -1)
  if (channel?.history_public_to_subscribers !== false) return null
  return <p className="quiet history-start">{t('feed.earlierHidden')}</p>
}

/** "17:40" today, otherwise with the day: "Friday, 17:40". */
function since(seconds: number): string {
  const time = clockTime(seconds)
  return dayOf(seconds) === dayOf(Date.now() / 1000) ? time : `${dayName(seconds)}, ${time}`
}

/** Dividers and headings that stand above a message. */
export function Above({
  row: { message, startsDay, startsConversation, startsUnread },
  unread,
}: {
  row: Row
  unread: number
}) {
  return (
    <>
      {startsDay && <div className="day">{dayName(message.timestamp)}</div>}
      {startsConversation && <ConversationHeading message={message} />}
      {startsUnread && (
        <div className="new">
          {unread > 1 ? t('feed.newSince', { count: unread, time: since(message.timestamp) }) : t('feed.new')}
        </div>
      )}
    </>
  )
}

function ConversationHeading({ message }: { message: ShownMessage }) {
  const store = useSlices('channels', 'users')
  const { viewerId } = useSession()
  if (message.type === 'private') {
    const others = othersOf(message, viewerId)
    return (
      <a className="conversation" href={narrowHash(narrows.direct(others), store)}>
        <Icon name="message-circle" size="s" /> {namesOf(store, others)}
      </a>
    )
  }
  const channel = store.channels.subscribed.get(message.stream_id!)
  return (
    <div className="conversation" style={{ '--channel': channel?.color }}>
      <a href={narrowHash(narrows.channel(message.stream_id!), store)}>
        <Icon name={channel?.invite_only ? 'lock' : 'hash'} size="s" />
        {channel?.name ?? String(message.display_recipient)}
      </a>
      <Icon name="chevron-right" size="s" />
      <a href={narrowHash(narrows.topic(message.stream_id!, message.subject), store)}>{topicName(message.subject)}</a>
    </div>
  )
}
