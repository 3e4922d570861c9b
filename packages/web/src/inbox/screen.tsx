import { type Narrow, narrows } from '@parley/client/narrow'
import { useEffect, useRef, useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { Composer } from '../compose/composer.tsx'
import { Feed } from '../feed/feed.tsx'
import { titleOf } from '../feed/titles.ts'
import { changeFlag } from '../messages/actions.ts'
import { Avatar } from '../people/avatar.tsx'
import { namesOf } from '../people/presence.ts'
import { useCommands } from '../platform/commands.ts'
import { goTo } from '../platform/routing.ts'
import { shortTime } from '../platform/times.ts'
import { plainText } from '../rendered/plain-text.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { toggleMuted } from '../topics/actions.ts'
import { openMenuInside, TopicMenu } from '../topics/topic-menu.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { type Filter, type UnreadConversation, unreadConversations } from './model.ts'

const filters: [Filter, string][] = [
  ['all', 'All'],
  ['mentions', 'Mentions'],
  ['direct', 'Direct'],
  ['followed', 'Followed'],
]

const shownAtOnce = 50

/** Unread conversations on one side, the chosen one open beside. */
export function InboxScreen() {
  const session = useSession()
  const store = useStore()
  const [filter, setFilter] = useState<Filter>('all')
  const [chosenKey, setChosenKey] = useState<string>()
  const conversations = unreadConversations(store, filter)
  const chosen = conversations.find(({ key }) => key === chosenKey) ?? conversations[0]
  const [limit, setLimit] = useState(shownAtOnce)
  const shown = conversations.slice(0, Math.max(limit, chosen ? conversations.indexOf(chosen) + 1 : 0))
  useLatestMessages(shown)
  const done = (one: UnreadConversation) => {
    const { ids } = one
    const flag = (op: 'add' | 'remove') => changeFlag(session, op, 'read', ids).catch(() => {})
    void flag('add')
    showToast({ text: 'Marked as read.', undo: () => void flag('remove') })
  }
  const step = (by: number) => () => {
    const next = conversations[chosen ? conversations.indexOf(chosen) + by : 0]
    if (isInPreview() || !next) return false
    setChosenKey(next.key)
    return true
  }
  useCommands({
    next: step(1),
    previous: step(-1),
    open: () => (chosen && !isInPreview() ? goTo(narrowHash(narrowOf(chosen), store)) : false),
    done: () => (chosen && !isInPreview() ? done(chosen) : false),
    muteTopic: () => (chosen && 'stream_id' in chosen.place ? toggleMuted(session, chosen.place) : false),
  })
  return (
    <main className="main">
      <header className="bar">
        <div className="two">
          <h1>Inbox</h1>
          <span className="about wide">{store.unread.count} unread</span>
        </div>
        <div className="end keys wide">
          <span>
            <kbd>J</kbd> <kbd>K</kbd> move
          </span>
          <span>
            <kbd>Enter</kbd> open
          </span>
          <span>
            <kbd>E</kbd> done
          </span>
          <span>
            <kbd>R</kbd> reply
          </span>
        </div>
      </header>
      <div className="inbox">
        <section className="list" aria-label="Unread conversations">
          <div className="filters seg" role="group" aria-label="Filter">
            {filters.map(([name, label]) => (
              <Button
                key={name}
                look={filter === name ? 'on' : ''}
                aria-pressed={filter === name}
                onClick={() => setFilter(name)}
              >
                {label}
              </Button>
            ))}
          </div>
          {conversations.length === 0 && (
            <Empty icon="circle-check" title="All read.">
              <a className="linkish" href="#recent">
                See recent conversations
              </a>
            </Empty>
          )}
          {shown.map((one) => (
            <Conversation
              key={one.key}
              conversation={one}
              isChosen={one === chosen}
              onChoose={() => setChosenKey(one.key)}
              onDone={() => done(one)}
            />
          ))}
          {shown.length < conversations.length && (
            <Button look="outline" onClick={() => setLimit(limit + shownAtOnce)}>
              {`Show more of ${conversations.length} conversations`}
            </Button>
          )}
        </section>
        {chosen && <Preview key={chosen.key} conversation={chosen} onDone={() => done(chosen)} />}
      </div>
    </main>
  )
}

/** The messages beside the list have their own keys. */
function isInPreview(): boolean {
  return document.activeElement?.closest('.preview') != null
}

export function narrowOf({ place }: Pick<UnreadConversation, 'place'>): Narrow {
  return 'stream_id' in place ? narrows.topic(place.stream_id, place.topic) : narrows.direct(place.user_ids)
}

/** Loads the newest message of each conversation, which its row shows. */
function useLatestMessages(conversations: readonly UnreadConversation[]): void {
  const session = useSession()
  const missing = conversations.map(({ latest }) => latest).filter((id) => !session.messages.byId.has(id))
  const key = missing.join()
  useEffect(() => {
    if (key === '') return
    session.client
      .call('getMessages', {
        message_ids: key.split(',').map(Number).slice(0, 200),
        allow_empty_topic_name: true,
        client_gravatar: true,
      } as never)
      .then(({ messages }) => {
        session.messages.add(messages)
        session.changes.changed()
      })
      .catch(() => {})
  }, [key, session])
}

interface ConversationProps {
  conversation: UnreadConversation
  isChosen: boolean
  onChoose: () => void
  onDone: () => void
}

function Conversation({ conversation, isChosen, onChoose, onDone }: ConversationProps) {
  const session = useSession()
  const store = useStore()
  const { place, ids, hasMention } = conversation
  const latest = session.messages.byId.get(conversation.latest)
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  const channel = 'stream_id' in place ? store.channels.subscribed.get(place.stream_id) : undefined
  return (
    <div
      ref={row}
      className={`conv ${isChosen ? 'on' : ''}`}
      style={{ '--channel': channel?.color } as React.CSSProperties}
      onContextMenu={openMenuInside}
    >
      <Avatar userId={latest?.sender_id ?? 0} name={latest?.sender_full_name ?? '…'} url={latest?.avatar_url ?? null} />
      <div className="title">
        <button
          type="button"
          className="conv-open"
          onClick={() => (window.innerWidth < 900 ? goTo(narrowHash(narrowOf(conversation), store)) : onChoose())}
        >
          <b>{'stream_id' in place ? topicName(place.topic) : namesOf(store, place.user_ids)}</b>
        </button>
        {channel && (
          <span className="tag">
            <Icon name={channel.invite_only ? 'lock' : 'hash'} size="s" />
            {channel.name}
          </span>
        )}
      </div>
      <time>{latest && shortTime(latest.timestamp)}</time>
      <p>
        {latest && (
          <>
            <b>{latest.sender_full_name}:</b> {plainText(latest.content)}
          </>
        )}
      </p>
      <div className="end">
        {hasMention && <span className="pill at">@</span>}
        <span className="pill">{ids.length}</span>
        <IconButton label="Done: mark as read" icon="check" look="tiny" onClick={onDone} />
        {'stream_id' in place && <TopicMenu place={place} look="tiny" />}
      </div>
    </div>
  )
}

function Preview({ conversation, onDone }: { conversation: UnreadConversation; onDone: () => void }) {
  const store = useStore()
  const [narrow] = useState(() => narrowOf(conversation))
  const { place } = conversation
  return (
    <section className="preview" aria-label="Conversation">
      <div className="head">
        <h2>{titleOf(narrow, store)}</h2>
        <div className="end">
          <Button look="outline" icon="check" onClick={onDone}>
            Done
          </Button>
          <IconButton label="Open" icon="maximize-2" onClick={() => goTo(narrowHash(narrow, store))} />
          {'stream_id' in place && <TopicMenu place={place} />}
        </div>
      </div>
      <Feed narrow={narrow} isPreview emptyText="Nothing here yet." onQuote={() => goTo(narrowHash(narrow, store))} />
      <Composer destination={place} />
    </section>
  )
}
