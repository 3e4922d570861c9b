import { isOwner } from '@parley/api/permissions'
import { narrows } from '@parley/client/messages/narrow'
import type { Session } from '@parley/client/session/session'
import { Fragment, Suspense, useRef, useState } from 'react'
import { topicName } from '../channels/topic-name.ts'
import { changeFlag } from '../messages/actions.ts'
import { useLatestMessages } from '../messages/use-latest-messages.ts'
import { useCommands } from '../platform/commands.ts'
import { type PlainId, t } from '../platform/i18n.ts'
import { keyLabel } from '../platform/keys.ts'
import { useIsPhone } from '../platform/phone.ts'
import { goTo } from '../platform/routing.ts'
import { act } from '../session/act.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { earlyPart, lazyPart } from '../session/lazy-part.tsx'
import { narrowHash } from '../session/links.ts'
import { toggleMuted } from '../topics/actions.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { Empty } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import {
  type Filter,
  groupConversations,
  groupOf,
  narrowOf,
  type UnreadConversation,
  unreadConversations,
} from './model.ts'
import { Preview } from './preview.tsx'
import { GroupHeading, Row } from './row.tsx'

const WhileAwayCard = earlyPart(() => import('./while-away.tsx').then((one) => one.WhileAwayCard))

const NextStepsCard = lazyPart(() => import('./next-steps.tsx').then((one) => one.NextStepsCard))

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
  const isPhone = useIsPhone()
  const store = useSlices('channels', 'topics', 'unread')
  const [filter, setFilter] = useState<Filter>('all')
  const [chosenKey, setChosenKey] = useState<string>()
  const groups = groupConversations(unreadConversations(store, filter))
  const conversations = [...groups.values()].flat()
  const chosen = useKept(conversations, chosenKey) ?? conversations[0]
  const [limit, setLimit] = useState(shownAtOnce)
  const shown = conversations.slice(0, Math.max(limit, chosen ? conversations.indexOf(chosen) + 1 : 0))
  useLatestMessages(shown.map(({ latest }) => latest))
  const done = (...read: UnreadConversation[]) => {
    setChosenKey(undefined)
    markRead(session, read)
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
          {conversations.length > 0 && (
            <span className="about wide">
              {t('inbox.unreadIn', { count: countUnread(conversations), conversations: conversations.length })}
            </span>
          )}
        </div>
        {isPhone && conversations.length > 1 && (
          <div className="end">
            <IconButton label={t('inbox.markAll')} icon="check-check" onClick={() => done(...conversations)} />
          </div>
        )}
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
          {conversations.length > 1 && (
            <Button look="outline" icon="check-check" onClick={() => done(...conversations)}>
              {t('inbox.markAll')}
            </Button>
          )}
        </div>
      </header>
      <div className="inbox">
        <section className="list" aria-label={t('palette.inbox')}>
          <Suspense>{isOwner(session.store!.viewer) && <NextStepsCard />}</Suspense>
          <Suspense>{session.whileAway.items.length > 0 && <WhileAwayCard />}</Suspense>
          <div className="filters">
            <Segments
              label={t('common.filter')}
              options={filters.map(([name, label]) => [name, t(label)] as const)}
              value={filter}
              onChange={setFilter}
            />
          </div>
          {conversations.length === 0 && (
            <Empty icon="circle-check" title={t('inbox.empty')}>
              <a className="linkish" href="#recent">
                {t('inbox.seeRecent')}
              </a>
              <Followed />
            </Empty>
          )}
          {shown.map((one, index) => (
            <Fragment key={one.key}>
              {(index === 0 || groupOf(one) !== groupOf(shown[index - 1]!)) && (
                <GroupHeading conversation={one} count={countUnread(groups.get(groupOf(one))!)} />
              )}
              <Row
                conversation={one}
                isChosen={one === chosen}
                onChoose={() => setChosenKey(one.key)}
                onDone={() => done(one)}
              />
            </Fragment>
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

function countUnread(conversations: readonly UnreadConversation[]): number {
  return conversations.reduce((sum, { ids }) => sum + ids.length, 0)
}

/** The most messages that one request can mark. */
const mostAtOnce = 10_000

function markRead(session: Session, conversations: readonly UnreadConversation[]): void {
  const ids = conversations.flatMap((one) => one.ids)
  const flag = async (op: 'add' | 'remove') => {
    for (let at = 0; at < ids.length; at += mostAtOnce)
      await changeFlag(session, op, 'read', ids.slice(at, at + mostAtOnce))
  }
  void act(flag('add'))
  showToast({ text: t('inbox.markedMany', { count: conversations.length }), undo: () => void act(flag('remove')) })
}

const mostFollowed = 5

/** Where something may happen next. */
function Followed() {
  const store = useSlices('channels', 'topics')
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
