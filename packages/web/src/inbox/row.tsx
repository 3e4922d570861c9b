import { useEffect, useId, useRef } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { Avatar } from '../people/avatar.tsx'
import { namesOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { useIsPhone } from '../platform/phone.ts'
import { shortTime } from '../platform/times.ts'
import { plainText, speaker } from '../rendered/plain-text.ts'
import { useSession, useSlices, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { TopicMenu } from '../topics/topic-menu.tsx'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { opensItsMenu } from '../ui/menu.tsx'
import { UnreadPill } from '../ui/unread-pill.tsx'
import { narrowOf, type UnreadConversation } from './model.ts'

/** What the conversations below have in common: a channel, or that they are direct messages. */
export function GroupHeading({ conversation, count }: { conversation: UnreadConversation; count: number }) {
  const store = useSlices('channels')
  const { place } = conversation
  const channel = 'stream_id' in place ? store.channels.subscribed.get(place.stream_id) : undefined
  return (
    <h2 className="group" style={{ '--channel': channel?.color }}>
      <Icon name={channel ? (channel.invite_only ? 'lock' : 'hash') : 'message-circle'} size="s" />
      {'stream_id' in place ? (channel?.name ?? '…') : t('sidebar.direct')}
      <span className="count">{count}</span>
    </h2>
  )
}

interface RowProps {
  conversation: UnreadConversation
  isChosen: boolean
  onChoose: () => void
  onDone: () => void
}

/** A conversation with its newest message. */
export function Row({ conversation, isChosen, onChoose, onDone }: RowProps) {
  const session = useSession()
  const store = useStore()
  const { place, ids, hasMention } = conversation
  const latest = session.messages.byId.get(conversation.latest)
  const link = useRef<HTMLAnchorElement>(null)
  const about = useId()
  const isPhone = useIsPhone()
  useEffect(() => {
    if (isChosen) link.current?.closest('.conv')?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  const isFollowed = 'stream_id' in place && store.topics.policyOf(place.stream_id, place.topic) === 3
  return (
    <div ref={opensItsMenu} className={`conv ${isChosen ? 'on' : ''}`}>
      {latest ? (
        <Avatar userId={latest.sender_id} name={latest.sender_full_name} url={latest.avatar_url} />
      ) : (
        <span className="avatar" style={{ background: 'var(--sunken)' }} />
      )}
      <div className="title">
        <a
          ref={link}
          className="conv-open"
          aria-current={isChosen}
          aria-describedby={about}
          href={narrowHash(narrowOf(conversation), store)}
          onClick={(event) => {
            // With a key held down, the browser opens the link.
            if (isPhone || event.ctrlKey || event.metaKey || event.shiftKey) return
            event.preventDefault()
            onChoose()
          }}
        >
          <b>{'stream_id' in place ? topicName(place.topic) : namesOf(store, place.user_ids)}</b>
        </a>
        {isFollowed && <Icon name="bell-ring" size="s" />}
      </div>
      <time>{latest && shortTime(latest.timestamp)}</time>
      <p id={about} dir="auto">
        {latest && (
          <>
            <b>{speaker(latest.sender_full_name, latest.content)}</b> {plainText(latest.content)}
          </>
        )}
      </p>
      <div className="end">
        {hasMention && <span className="pill at">@</span>}
        <UnreadPill count={ids.length} />
        <IconButton label={t('inbox.doneLabel')} icon="check" look="tiny" onClick={onDone} />
        {'stream_id' in place && <TopicMenu place={place} look="tiny" />}
      </div>
    </div>
  )
}
