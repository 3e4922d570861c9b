import type { ShownMessage } from '@parley/client/messages/cache'
import type { Narrow } from '@parley/client/messages/narrow'
import type { MessageWindow } from '@parley/client/messages/window'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useChanges, useRetryOnline, useSession, useWindow } from '../session/context.tsx'
import { lazyPart } from '../session/lazy-part.tsx'
import { Empty, Failure, Skeleton } from '../ui/states.tsx'
import { Arrivals } from './arrivals.tsx'
import { placeOfEntry } from './kept-place.ts'
import { List } from './list.tsx'

// The messages come first.
const FoundWords = lazyPart(() => import('./found-words.tsx').then((one) => one.FoundWords))

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
  const window = useWindow(narrow)
  const words = searchedWords(narrow)
  const anchor = words ? 'newest' : 'first_unread'
  const [place] = useState(() => (isPreview ? undefined : placeOfEntry()))
  const target = place?.id ?? near
  const isReady = window.isLoaded && (target === undefined || window.ids.includes(target))
  const firstUnread = useFirstUnread(window, near, isReady && !words)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it is opened, because messages may leave later.
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
        start={{ place, near, firstUnread }}
        {...{ window, onQuote, isPreview }}
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
