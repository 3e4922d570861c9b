import type { ShownMessage } from '@parley/client/messages/cache'
import type { MessageWindow } from '@parley/client/messages/window'
import { type Narrow, narrows, othersOf, topicOf, usersOf } from '@parley/client/narrow'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type CacheSnapshot, VList, type VListHandle } from 'virtua'
import { topicName } from '../channels/topic-name.ts'
import { markUnreadFrom } from '../messages/actions.ts'
import { Message } from '../messages/message.tsx'
import { namesOf } from '../people/presence.ts'
import { type Handlers, useCommands } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { dayName } from '../platform/times.ts'
import { useChanges, useRetryOnline, useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, Failure, Skeleton } from '../ui/states.tsx'
import { Arrivals } from './arrivals.tsx'
import { useReadMarks } from './read-marks.ts'
import { type Row, rowAt } from './rows.ts'

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
  const isReady = window.isLoaded && (near === undefined || window.ids.includes(near))
  const firstUnread = useFirstUnread(window, near, isReady)
  // Only when it is opened: `isReady` is not a dependency, because messages may leave later.
  useEffect(() => {
    if (!isReady) void window.open(near ?? 'first_unread')
  }, [window, near])

  const retry = () => void window.open(near ?? 'first_unread')
  const hasFailed = window.error !== undefined && !window.isLoaded
  useRetryOnline(hasFailed, retry)

  if (hasFailed) return <Failure error={window.error!} onRetry={retry} />
  if (!window.isLoaded) return <Skeleton />
  if (window.ids.length === 0) return <Empty icon="messages" title={emptyText} />
  return (
    <>
      <List key={JSON.stringify(narrow)} {...{ window, near, firstUnread, onQuote, isPreview, marksRead }} />
      {!isPreview && <Arrivals window={window} />}
    </>
  )
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
  firstUnread: number | undefined
  onQuote: (message: ShownMessage) => void
  isPreview: boolean
  marksRead: boolean
}

function List({ window: shown, near, firstUnread, onQuote, isPreview, marksRead }: ListProps) {
  const session = useSession()
  const list = useRef<VListHandle>(null)
  const feed = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(false)
  const renderedFirst = useRef<number>(undefined)
  const [selected, setSelected] = useState<number>()
  const isMixed = topicOf(shown.narrow) === undefined && usersOf(shown.narrow) === undefined
  const messages = shown.ids.map((id) => session.messages.byId.get(id)).filter((one) => one !== undefined)
  const options = { viewerId: session.viewerId, isMixed, firstUnread }
  const start = near ?? firstUnread
  const markUnread = useCallback(
    (message: ShownMessage) => markUnreadFrom(session, message, shown.ids),
    [session, shown],
  )

  const startIndex = start === undefined ? -1 : shown.ids.indexOf(start)
  /** Scrolls to where the list opens. Returns whether that is the end. */
  const toStart = () => {
    if (startIndex < 0) list.current?.scrollToIndex(shown.ids.length - 1, { align: 'end' })
    else list.current?.scrollToIndex(startIndex, { align: near ? 'center' : 'start', offset: near ? 0 : -80 })
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

  useKeptPlace(feed, isAtEnd, toStart)
  const heights = useHeights(list, shown)
  useReadMarks(list, shown, marksRead)
  useCommands(listCommands(list, shown.ids, selected ?? last, () => !isPreview || isInside(feed.current)))
  const goToEnd = () => {
    isAtEnd.current = true
    void shown.open('newest')
  }
  const scrolled = (offset: number) => {
    const { scrollSize, viewportSize } = list.current!
    isAtEnd.current = shown.hasNewest && offset + viewportSize > scrollSize - 40
    if (offset < loadedAhead) void shown.loadMore('older')
    if (offset + viewportSize > scrollSize - loadedAhead) void shown.loadMore('newer')
  }
  return (
    <div
      ref={feed}
      className="feed"
      // The headings of conversations are links, which a feed may not contain beside its articles.
      role={isMixed ? 'region' : 'feed'}
      aria-label={t('feed.messages')}
      aria-busy={!shown.isLoaded}
      onFocus={({ target }) => setSelected(idOf(target))}
    >
      <VList
        ref={list}
        className="feed-list"
        data={messages}
        shift={isPrepending}
        itemSize={isMixed ? 100 : 60}
        cache={heights}
        keepMounted={isOpening ? rowsAround(startIndex, shown.ids.length) : none}
        onScroll={scrolled}
      >
        {(message, index) => {
          const row = rowAt(messages, index, options)
          return (
            <div key={message.local_id ?? message.id} className="feed-row">
              <Above row={row} />
              <Message
                message={message}
                isLead={row.isLead}
                isSelected={message.id === (selected ?? last)}
                position={index + 1}
                onQuote={onQuote}
                onMarkUnread={markUnread}
              />
            </div>
          )
        }}
      </VList>
      {!shown.hasNewest && (
        <Button look="primary to-end" icon="chevron-down" onClick={goToEnd}>
          {t('feed.toNewest')}
        </Button>
      )}
    </div>
  )
}

const none: number[] = []

/** About as many rows as fill a screen. Rendered at once, before the list knows how large it is. */
function rowsAround(start: number, length: number): number[] {
  const first = Math.max(0, (start < 0 ? length : start + 8) - 12)
  return Array.from({ length: Math.min(12, length - first) }, (_, n) => first + n)
}

/** What users do to scroll, among other things. */
const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Keeps the place of the list while polls and images grow, or the composer takes space: where it was opened until the
 * user does something, and afterwards the end. `scrollToIndex` repeats itself for a while, and would hold on to a list
 * that the user scrolls.
 */
function useKeptPlace(feed: RefObject<HTMLElement | null>, isAtEnd: RefObject<boolean>, toStart: () => void): void {
  const latest = useRef(toStart)
  latest.current = toStart
  useEffect(() => {
    const list = feed.current!.querySelector('.feed-list')!
    const used = new AbortController()
    for (const input of inputs)
      window.addEventListener(input, () => used.abort(), { capture: true, passive: true, signal: used.signal })
    const observer = new ResizeObserver(() => {
      if (!used.signal.aborted) latest.current()
      else if (isAtEnd.current) list.scrollTop = list.scrollHeight
    })
    for (const one of [list, list.firstElementChild!]) observer.observe(one)
    return () => {
      used.abort()
      observer.disconnect()
    }
  }, [feed, isAtEnd])
}

const measured = new WeakMap<readonly number[], CacheSnapshot>()

/** The heights of the rows when the same messages were shown last: with them the list opens in one step. */
function useHeights(list: RefObject<VListHandle | null>, shown: MessageWindow): CacheSnapshot | undefined {
  useLayoutEffect(() => () => void (list.current && measured.set(shown.ids, list.current.cache)), [list, shown])
  return useMemo(() => measured.get(shown.ids), [shown])
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
    last: () => select(ids.length - 1),
    pageDown: scroll(1),
    pageUp: scroll(-1),
  }
}

/** Dividers and headings that stand above a message. */
function Above({ row: { message, startsDay, startsConversation, startsUnread } }: { row: Row }) {
  return (
    <>
      {startsDay && <div className="day">{dayName(message.timestamp)}</div>}
      {startsConversation && <ConversationHeading message={message} />}
      {startsUnread && <div className="new">{t('feed.new')}</div>}
    </>
  )
}

function ConversationHeading({ message }: { message: ShownMessage }) {
  const store = useStore()
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
    <div className="conversation" style={{ '--channel': channel?.color } as React.CSSProperties}>
      <a href={narrowHash(narrows.channel(message.stream_id!), store)}>
        <Icon name={channel?.invite_only ? 'lock' : 'hash'} size="s" />
        {channel?.name ?? String(message.display_recipient)}
      </a>
      <Icon name="chevron-right" size="s" />
      <a href={narrowHash(narrows.topic(message.stream_id!, message.subject), store)}>{topicName(message.subject)}</a>
    </div>
  )
}
