import { narrows } from '@parley/client/narrow'
import { useEffect, useRef, useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { Composer } from '../compose/composer.tsx'
import { Feed } from '../feed/feed.tsx'
import { titleOf } from '../feed/titles.ts'
import { changeFlag } from '../messages/actions.ts'
import { Avatar } from '../people/avatar.tsx'
import { namesOf } from '../people/presence.ts'
import { useCommands } from '../platform/commands.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { keyLabel } from '../platform/keys.ts'
import { goTo } from '../platform/routing.ts'
import { shortTime } from '../platform/times.ts'
import { plainText } from '../rendered/plain-text.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { toggleMuted } from '../topics/actions.ts'
import { TopicMenu } from '../topics/topic-menu.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { openMenuInside } from '../ui/menu.tsx'
import { Segments } from '../ui/segments.tsx'
import { Empty } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { type Filter, narrowOf, type UnreadConversation, unreadConversations } from './model.ts'
import { WhileAwayCard } from './while-away.tsx'

const filters: [Filter, PlainId][] = [
  ['all', 'inbox.filter.all'],
  ['mentions', 'inbox.filter.mentions'],
  ['direct', 'inbox.filter.direct'],
  ['followed', 'inbox.filter.followed'],
]

const shownAtOnce = 50

/** Unread conversations on one side, the chosen one open beside. */
export function InboxScreen() {
  const session = useSession()
  const store = useStore()
  const [filter, setFilter] = useState<Filter>('all')
  const [chosenKey, setChosenKey] = useState<string>()
  const conversations = unreadConversations(store, filter)
  const chosen = useKept(conversations, chosenKey) ?? conversations[0]
  const [limit, setLimit] = useState(shownAtOnce)
  const shown = conversations.slice(0, Math.max(limit, chosen ? conversations.indexOf(chosen) + 1 : 0))
  useLatestMessages(shown)
  const done = (one: UnreadConversation) => {
    const { ids } = one
    const flag = (op: 'add' | 'remove') => changeFlag(session, op, 'read', ids).catch(() => {})
    void flag('add')
    setChosenKey(undefined)
    showToast({ text: t('inbox.marked'), undo: () => void flag('remove') })
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
          <h1>{t('nav.inbox')}</h1>
          <span className="about wide">{t('inbox.unread', { count: store.unread.count })}</span>
        </div>
        <div className="end keys wide">
          <span>
            <kbd>J</kbd> <kbd>K</kbd> {t('inbox.key.move')}
          </span>
          <span>
            <kbd>{keyLabel('Enter')}</kbd> {t('inbox.key.open')}
          </span>
          <span>
            <kbd>E</kbd> {t('inbox.key.done')}
          </span>
          <span>
            <kbd>R</kbd> {t('inbox.key.reply')}
          </span>
        </div>
      </header>
      <div className="inbox">
        <section className="list" aria-label={t('palette.inbox')}>
          <WhileAwayCard />
          <Segments
            look="filters"
            label={t('common.filter')}
            options={filters.map(([name, label]) => [name, t(label)] as const)}
            value={filter}
            onChange={setFilter}
          />
          {conversations.length === 0 && (
            <Empty icon="circle-check" title={t('inbox.empty')}>
              <a className="linkish" href="#recent">
                {t('inbox.seeRecent')}
              </a>
              <Followed />
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
              {t('inbox.more', { count: conversations.length })}
            </Button>
          )}
        </section>
        {chosen && (
          <Preview
            key={chosen.key}
            conversation={chosen}
            marksRead={chosen.key === chosenKey}
            onDone={() => done(chosen)}
          />
        )}
      </div>
    </main>
  )
}

const mostFollowed = 5

/** Where something may happen next. */
function Followed() {
  const store = useStore()
  const topics = store.topics.followed().filter(({ stream_id }) => store.channels.subscribed.has(stream_id))
  if (topics.length === 0) return null
  return (
    <nav className="followed" aria-label={t('inbox.followed')}>
      <b>{t('inbox.followed')}</b>
      {topics.slice(0, mostFollowed).map(({ stream_id, topic_name }) => (
        <a
          key={`${stream_id} ${topic_name}`}
          className="linkish"
          href={narrowHash(narrows.topic(stream_id, topic_name), store)}
        >
          #{store.channels.subscribed.get(stream_id)!.name} › {topicName(topic_name)}
        </a>
      ))}
    </nav>
  )
}

/** The conversation that the user chose. It stays open when its messages are read and it is no longer in the list. */
function useKept(
  conversations: readonly UnreadConversation[],
  key: string | undefined,
): UnreadConversation | undefined {
  const kept = useRef<UnreadConversation>(undefined)
  kept.current = conversations.find((one) => one.key === key) ?? (kept.current?.key === key ? kept.current : undefined)
  return kept.current
}

/** The messages beside the list have their own keys. */
function isInPreview(): boolean {
  return document.activeElement?.closest('.preview') != null
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
      .then(({ messages }) => session.addMessages(messages))
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
      <p dir="auto">
        {latest && (
          <>
            <b>{latest.sender_full_name}:</b> {plainText(latest.content)}
          </>
        )}
      </p>
      <div className="end">
        {hasMention && <span className="pill at">@</span>}
        <span className="pill">{ids.length}</span>
        <IconButton label={t('inbox.doneLabel')} icon="check" look="tiny" onClick={onDone} />
        {'stream_id' in place && <TopicMenu place={place} look="tiny" />}
      </div>
    </div>
  )
}

interface PreviewProps {
  conversation: UnreadConversation
  /** Only for a conversation that the user chose: otherwise an open inbox would read everything, one after another. */
  marksRead: boolean
  onDone: () => void
}

function Preview({ conversation, marksRead, onDone }: PreviewProps) {
  const store = useStore()
  const [narrow] = useState(() => narrowOf(conversation))
  const { place } = conversation
  return (
    <section className="preview" aria-label={t('inbox.conversation')}>
      <div className="head">
        <h2>{titleOf(narrow, store)}</h2>
        <div className="end">
          <Button look="outline" icon="check" onClick={onDone}>
            {t('inbox.done')}
          </Button>
          <IconButton label={t('common.open')} icon="maximize-2" onClick={() => goTo(narrowHash(narrow, store))} />
          {'stream_id' in place && <TopicMenu place={place} />}
        </div>
      </div>
      <Feed
        narrow={narrow}
        isPreview
        marksRead={marksRead}
        emptyText={t('feed.empty')}
        onQuote={() => goTo(narrowHash(narrow, store))}
      />
      <Composer destination={place} />
    </section>
  )
}
