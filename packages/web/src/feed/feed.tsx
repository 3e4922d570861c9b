import type { ShownMessage } from '@parley/client/messages/cache'
import { channelOf, matches, type Narrow, narrows, othersOf, topicOf, usersOf } from '@parley/client/messages/narrow'
import type { MessageWindow } from '@parley/client/messages/window'
import { type RefObject, Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type CacheSnapshot, VList, type VListHandle } from 'virtua'
import { topicName } from '../channels/topic-name.ts'
import { markUnreadFrom } from '../messages/actions.ts'
import { Message } from '../messages/message.tsx'
import { namesOf } from '../people/presence.ts'
import { type Handlers, useCommands } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { clockTime, dayName, dayOf } from '../platform/times.ts'
import { useChanges, useRetryOnline, useSession, useSlices } from '../session/context.tsx'
import { earlyPart, lazyPart } from '../session/lazy-part.tsx'
import { narrowHash } from '../session/links.ts'
import { Icon } from '../ui/icon.tsx'
import { Empty, Failure, Skeleton } from '../ui/states.tsx'
import { Arrivals } from './arrivals.tsx'
import { type Place, placeOfEntry, useKeptPlace, useSavedPlace } from './kept-place.ts'
import { usePrinting } from './printing.ts'
import { useReadMarks } from './read-marks.ts'
import { type Row, rowAt } from './rows.ts'

// The messages come first.
const Lightbox = lazyPart(() => import('./lightbox.tsx').then((one) => one.Lightbox))
const FoundWords = lazyPart(() => import('./found-words.tsx').then((one) => one.FoundWords))
const ToNewest = earlyPart(() => import('./to-newest.tsx').then((one) => one.ToNewest))

interface FeedProps {
  narrow: Narrow
  /** Beside a list that has the keys unless the focus is here. */
  isPreview?: boolean
  /** Whether messages become read by being visible. */
  marksRead?: boolean
  near?: number | undefined
  emptyText: string
  onQuote: (message: ShownMessage) => void
}

/** The messages of a narrow, opened at the first unread one. */
export function Feed({ narrow, near, emptyText, onQuote, isPreview = false, marksRead = true }: FeedProps) {
  useChanges()
  const session = useSession()
  const window = useMemo(() => session.window(narrow), [session, narrow, session.store])
  const words = searchedWords(narrow)
  const anchor = words ? 'newest' : 'first_unread'
  const [place] = useState(() => (isPreview ? undefined : placeOfEntry()))
  const target = place?.id ?? near
  const isReady = window.isLoaded && (target === undefined || window.ids.includes(target))
  const firstUnread = useFirstUnread(window, near, isReady && !words)
  // Only when it is opened: `isReady` is not a dependency, because messages may leave later.
  useEffect(() => {
    if (!isReady) void window.open(target ?? anchor)
  }, [window, near])

  const retry = () => void window.open(target ?? anchor)
  const hasFailed = window.error !== undefined && !window.isLoaded
  useRetryOnline(hasFailed, retry)

  if (hasFailed) return <Failure error={window.error!} onRetry={retry} />
  if (!window.isLoaded) return <Skeleton />
  if (window.ids.length === 0) return <Empty icon="messages" title={emptyText} />
  return (
    <>
      <List
        key={JSON.stringify(narrow)}
        {...{ window, near, place, firstUnread, onQuote, isPreview }}
        marksRead={marksRead && !words}
      />
      {words && (
        <Suspense>
          <FoundWords words={words} />
        </Suspense>
      )}
      {!isPreview && <Arrivals window={window} />}
    </>
  )
}

/** What was searched for: results open at the newest one, and reading them marks nothing as read. */
function searchedWords(narrow: Narrow): string | undefined {
  const term = narrow.find(({ operator, negated }) => operator === 'search' && !negated)
  return term && String(term.operand)
}

/** The first unread message when the window was opened there, which does not change while it is being read. */
function useFirstUnread(window: MessageWindow, near: number | undefined, isReady: boolean): number | undefined {
  const { byId } = useSession().messages
  const opened = useRef<{ window: MessageWindow; near: number | undefined; firstUnread: number | undefined }>(undefined)
  const isKnown = opened.current?.window === window && opened.current.near === near
  if (isReady && !isKnown)
    opened.current = { window, near, firstUnread: window.ids.find((id) => !byId.get(id)?.flags.includes('read')) }
  return opened.current?.window === window ? opened.current.firstUnread : undefined
}

/** Pixels. Far enough that few reach the edge before more is loaded. */
const loadedAhead = 1600

interface ListProps {
  window: MessageWindow
  near: number | undefined
  /** Where the user left it, if they come back. */
  place: Place | undefined
  firstUnread: number | undefined
  onQuote: (message: ShownMessage) => void
  isPreview: boolean
  marksRead: boolean
}

function List({ window: shown, near, place, firstUnread, onQuote, isPreview, marksRead }: ListProps) {
  const session = useSession()
  const list = useRef<VListHandle>(null)
  const feed = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(false)
  const renderedFirst = useRef<number>(undefined)
  const [selected, setSelected] = useState<number>()
  const [picture, setPicture] = useState<string>()
  const isMixed = topicOf(shown.narrow) === undefined && usersOf(shown.narrow) === undefined
  const messages = shown.ids.map((id) => session.messages.byId.get(id)).filter((one) => one !== undefined)
  // What was new stays marked until the viewer leaves, also once it is read.
  const fresh = useRef(new Set<number>())
  for (const { id, flags } of messages) if (!flags.includes('read')) fresh.current.add(id)
  const options = { viewerId: session.viewerId, isMixed, firstUnread }
  const start = place?.id ?? near ?? firstUnread
  const markUnread = useCallback(
    (message: ShownMessage) => markUnreadFrom(session, message, shown.ids),
    [session, shown],
  )

  const startIndex = start === undefined ? -1 : shown.ids.findIndex((id) => (place ? id >= start : id === start))
  const opening = place ? { offset: -place.top } : near ? ({ align: 'center' } as const) : { offset: -80 }
  /** Scrolls to where the list opens. Returns whether that is the end. */
  const toStart = () => {
    if (startIndex < 0) list.current?.scrollToIndex(shown.ids.length - 1, { align: 'end' })
    else list.current?.scrollToIndex(startIndex, opening)
    return startIndex < 0
  }
  useLayoutEffect(() => {
    isAtEnd.current = toStart()
  }, [start, near, shown])

  const first = shown.ids[0]
  // The list then keeps its distance from the end.
  const isPrepending = first !== undefined && renderedFirst.current !== undefined && first < renderedFirst.current
  useLayoutEffect(() => {
    renderedFirst.current = first
  }, [first])

  const last = shown.ids.at(-1)
  const isOpening = renderedFirst.current === undefined
  useLayoutEffect(() => {
    if (isAtEnd.current && last !== undefined) list.current?.scrollToIndex(shown.ids.length - 1, { align: 'end' })
  }, [last, shown])

  useKeptPlace({ feed, isAtEnd }, toStart)
  useSavedPlace({ feed, list, isAtEnd }, shown.ids, !isPreview)
  const isPrinting = usePrinting()
  const heights = useHeights(list, shown)
  const ahead = useRenderedAhead()
  useReadMarks(list, shown, marksRead)
  const goToEnd = async () => {
    isAtEnd.current = true
    if (!shown.hasNewest) await shown.open('newest')
    list.current?.scrollToIndex(shown.ids.length - 1, { align: 'end' })
  }
  const hasKeys = () => !isPreview || isInside(feed.current)
  useCommands({
    ...listCommands(list, shown.ids, selected ?? last, hasKeys),
    last: () => (hasKeys() ? void goToEnd().then(() => focusRow(shown.ids.at(-1)!)) : false),
  })
  // Users see what they send, wherever they were reading. It is scrolled to once it is shown.
  useEffect(
    () =>
      session.outbox.onSend((message) => matches(shown.narrow, message, session.viewerId) === true && void goToEnd()),
    [session, shown],
  )
  const scrolled = (offset: number) => {
    const { scrollSize, viewportSize } = list.current!
    isAtEnd.current = shown.hasNewest && offset + viewportSize > scrollSize - 40
    if (offset < loadedAhead) void shown.loadMore('older')
    if (offset + viewportSize > scrollSize - loadedAhead) void shown.loadMore('newer')
  }
  const rowOf = (message: ShownMessage, index: number) => {
    const row = rowAt(messages, index, options)
    return (
      <div key={message.local_id ?? message.id} className={index === messages.length - 1 ? 'last' : ''}>
        {index === 0 && shown.hasOldest && <HistoryStart narrow={shown.narrow} />}
        <Above row={row} unread={fresh.current.size} />
        <Message
          message={message}
          isLead={row.isLead}
          isFresh={fresh.current.has(message.id)}
          isLinked={message.id === near}
          isSelected={message.id === (selected ?? last)}
          position={index + 1}
          onQuote={onQuote}
          onMarkUnread={markUnread}
        />
      </div>
    )
  }
  return (
    <div
      ref={feed}
      className="feed"
      onFocus={({ target }) => setSelected(idOf(target))}
      onClick={(event) => {
        const url = clickedPicture(event)
        if (!url) return
        event.preventDefault()
        setPicture(url)
      }}
    >
      <VList
        ref={list}
        className="feed-list"
        // The headings of conversations are links, which a feed may not contain beside its articles.
        role={isMixed ? 'region' : 'feed'}
        aria-label={t('feed.messages')}
        aria-busy={!shown.isLoaded}
        data={messages}
        shift={isPrepending}
        itemSize={isMixed ? 100 : 60}
        bufferSize={ahead}
        cache={heights}
        keepMounted={isOpening ? rowsAround(startIndex, shown.ids.length) : none}
        onScroll={scrolled}
      >
        {rowOf}
      </VList>
      {isPrinting && <div className="printed">{messages.map(rowOf)}</div>}
      <Suspense>
        <ToNewest {...{ feed, list, shown, isAtEnd }} onGo={() => void goToEnd()} />
        {picture && <Lightbox shown={shown} url={picture} onClose={() => setPicture(undefined)} />}
      </Suspense>
    </div>
  )
}

const none: number[] = []

/**
 * Pixels of rows that are rendered beyond the view, so that they have their heights before they are seen: otherwise what is
 * read moves when rows above it turn out to be higher. Fewer until the first screen is shown.
 */
function useRenderedAhead(): number {
  const [ahead, setAhead] = useState(200)
  useEffect(() => {
    const timer = setTimeout(setAhead, 200, 1200)
    return () => clearTimeout(timer)
  }, [])
  return ahead
}

/** About as many rows as fill a screen. Rendered at once, before the list knows how large it is. */
function rowsAround(start: number, length: number): number[] {
  const first = Math.max(0, (start < 0 ? length : start + 8) - 12)
  return Array.from({ length: Math.min(12, length - first) }, (_, n) => first + n)
}

const measured = new WeakMap<readonly number[], CacheSnapshot>()

/** The heights of the rows when the same messages were shown last: with them the list opens in one step. */
function useHeights(list: RefObject<VListHandle | null>, shown: MessageWindow): CacheSnapshot | undefined {
  useLayoutEffect(() => () => void (list.current && measured.set(shown.ids, list.current.cache)), [list, shown])
  return useMemo(() => measured.get(shown.ids), [shown])
}

/** With a key held down, the browser opens the link. */
function clickedPicture({ target, ctrlKey, metaKey, shiftKey }: React.MouseEvent): string | undefined {
  const link =
    ctrlKey || metaKey || shiftKey ? null : (target as Element).closest('.text a[href^="/user_uploads/"]:has(> img)')
  return link?.getAttribute('href') ?? undefined
}

function idOf(target: Element): number | undefined {
  const row = target.closest<HTMLElement>('[data-message-id]')
  return row ? Number(row.dataset.messageId) : undefined
}

function isInside(feed: HTMLElement | null): boolean {
  return feed?.contains(document.activeElement) ?? false
}

/** Rows appear some frames after the list has scrolled to them. */
function focusRow(id: number, frames = 30): void {
  const row = document.querySelector<HTMLElement>(`[data-message-id="${id}"]`)
  if (row) row.focus({ preventScroll: true })
  else if (frames > 0) requestAnimationFrame(() => focusRow(id, frames - 1))
}

function visibleIndexes(list: VListHandle | null): [first: number, last: number] {
  if (!list) return [0, 0]
  return [list.findItemIndex(list.scrollOffset), list.findItemIndex(list.scrollOffset + list.viewportSize - 1)]
}

/** Moves between messages and scrolls. Starts at what is visible if the selected message is not. */
function listCommands(
  list: RefObject<VListHandle | null>,
  ids: readonly number[],
  now: number | undefined,
  hasKeys: () => boolean,
): Handlers {
  const select = (index: number) => {
    const next = ids[index]
    if (!hasKeys() || next === undefined) return false
    list.current?.scrollToIndex(index, { align: 'nearest' })
    focusRow(next)
    return true
  }
  const step = (by: number) => () => {
    const [top, bottom] = visibleIndexes(list.current)
    const index = now === undefined ? -1 : ids.indexOf(now)
    return select(index >= top && index <= bottom ? index + by : by > 0 ? top : bottom)
  }
  const scroll = (by: number) => () => {
    if (!hasKeys()) return false
    list.current?.scrollBy(by * list.current.viewportSize * 0.9)
    return true
  }
  return {
    next: step(1),
    previous: step(-1),
    first: () => select(0),
    pageDown: scroll(1),
    pageUp: scroll(-1),
  }
}

/** Says that a channel may have earlier messages, which only those see who were subscribed then. */
function HistoryStart({ narrow }: { narrow: Narrow }) {
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
function Above({
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
