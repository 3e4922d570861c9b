import { matches } from '@parley/client/messages/narrow'
import type { MessageWindow } from '@parley/client/messages/window'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import type { VListHandle } from 'virtua'
import { useSession } from '../session/context.tsx'
import { type ScrollPlace, useKeptPlace } from './kept-place.ts'

/** Where the list opens. */
export interface Start {
  /** Where the user left it, if they come back. */
  place: ScrollPlace | undefined
  /** The message that a link leads to. */
  near: number | undefined
  firstUnread: number | undefined
}

/** The row at which the list opens, or -1 for the end. */
export function startIndex(ids: readonly number[], { place, near, firstUnread }: Start): number {
  if (place) return ids.findIndex((id) => id >= place.id)
  return ids.indexOf(near ?? firstUnread ?? -1)
}

const ways = { linked: { align: 'center' }, unread: { offset: -80 } } as const

/** Pixels. Far enough that few reach the edge before more is loaded. */
const loadedAhead = 1600

interface Parts {
  feed: RefObject<HTMLElement | null>
  list: RefObject<VListHandle | null>
}

/** Scrolls the list to where it opens, follows its end, shows what the user sends, and loads more at both ends. */
export function useScrolling({ feed, list }: Parts, shown: MessageWindow, start: Start) {
  const isAtEnd = useRef(false)
  const { place, near, firstUnread } = start
  const target = place?.id ?? near ?? firstUnread
  const scrollToEnd = useCallback(
    () => list.current?.scrollToIndex(shown.ids.length - 1, { align: 'end' }),
    [list, shown],
  )
  /** Returns whether the list opens at its end. */
  const toStart = () => {
    const index = startIndex(shown.ids, start)
    if (index < 0) scrollToEnd()
    else list.current?.scrollToIndex(index, place ? { offset: -place.top } : ways[near ? 'linked' : 'unread'])
    return index < 0
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: messages that arrive later do not move the list.
  useLayoutEffect(() => {
    isAtEnd.current = toStart()
  }, [target, near, shown])

  const last = shown.ids.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each message that arrives.
  useLayoutEffect(() => {
    if (isAtEnd.current) scrollToEnd()
  }, [last, scrollToEnd])

  useKeptPlace({ feed, isAtEnd }, toStart)
  const goToEnd = useCallback(async () => {
    isAtEnd.current = true
    if (!shown.hasNewest) await shown.open('newest')
    scrollToEnd()
  }, [shown, scrollToEnd])
  useOwnMessages(shown, goToEnd)
  const scrolled = (offset: number) => {
    const { scrollSize, viewportSize } = list.current!
    isAtEnd.current = shown.hasNewest && offset + viewportSize > scrollSize - 40
    if (offset < loadedAhead) void shown.loadMore('older')
    if (offset + viewportSize > scrollSize - loadedAhead) void shown.loadMore('newer')
  }
  return { isAtEnd, goToEnd, scrolled }
}

/** Users see what they send, wherever they were reading. It is scrolled to once it is shown. */
function useOwnMessages(shown: MessageWindow, goToEnd: () => Promise<void>): void {
  const session = useSession()
  useEffect(
    () =>
      session.outbox.onSend((message) => matches(shown.narrow, message, session.viewerId) === true && void goToEnd()),
    [session, shown, goToEnd],
  )
}

/** Whether rows were put before the first one: the list then keeps its distance from the end. */
export function usePrepending(first: number | undefined): { isOpening: boolean; isPrepending: boolean } {
  const rendered = useRef<number>(undefined)
  const isOpening = rendered.current === undefined
  const isPrepending = !isOpening && first !== undefined && first < rendered.current!
  useLayoutEffect(() => {
    rendered.current = first
  }, [first])
  return { isOpening, isPrepending }
}
