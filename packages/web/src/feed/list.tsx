import type { ShownMessage } from '@parley/client/messages/cache'
import { topicOf, usersOf } from '@parley/client/messages/narrow'
import type { MessageWindow } from '@parley/client/messages/window'
import { Suspense, useCallback, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import { markUnreadFrom } from '../messages/actions.ts'
import { Message } from '../messages/message.tsx'
import { useCommands } from '../platform/commands.ts'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { earlyPart } from '../session/lazy-part.tsx'
import { Above, HistoryStart } from './above.tsx'
import { useSavedPlace } from './kept-place.ts'
import { focusRow, idOf, isInside, listCommands } from './list-commands.ts'
import { Pictures } from './pictures.tsx'
import { usePrinting } from './printing.ts'
import { useReadMarks } from './read-marks.ts'
import { rowsAround, useHeights, useRenderedAhead } from './rendered-rows.ts'
import { rowAt } from './rows.ts'
import { type Start, startIndex, usePrepending, useScrolling } from './scrolling.ts'

const ToNewest = earlyPart(() => import('./to-newest.tsx').then((one) => one.ToNewest))

interface ListProps {
  window: MessageWindow
  start: Start
  onQuote: (message: ShownMessage) => void
  isPreview: boolean
  marksRead: boolean
}

const none: number[] = []

export function List({ window: shown, start, onQuote, isPreview, marksRead }: ListProps) {
  const session = useSession()
  const list = useRef<VListHandle>(null)
  const feed = useRef<HTMLDivElement>(null)
  const [selected, setSelected] = useState<number>()
  const { ids } = shown
  const last = ids.at(-1)
  const isMixed = topicOf(shown.narrow) === undefined && usersOf(shown.narrow) === undefined
  const messages = ids.map((id) => session.messages.byId.get(id)).filter((one) => one !== undefined)
  const fresh = useFresh(messages)
  const markUnread = useCallback(
    (message: ShownMessage) => markUnreadFrom(session, message, shown.ids),
    [session, shown],
  )
  const { isAtEnd, goToEnd, scrolled } = useScrolling({ feed, list }, shown, start)
  const { isOpening, isPrepending } = usePrepending(ids[0])
  useSavedPlace({ feed, list, isAtEnd }, ids, !isPreview)
  const isPrinting = usePrinting()
  const heights = useHeights(list, shown)
  const ahead = useRenderedAhead()
  useReadMarks(list, shown, marksRead)
  const hasKeys = () => !isPreview || isInside(feed.current)
  useCommands({
    ...listCommands(list, ids, selected ?? last, hasKeys),
    last: () => (hasKeys() ? void goToEnd().then(() => focusRow(shown.ids.at(-1)!)) : false),
  })
  const options = { viewerId: session.viewerId, isMixed, firstUnread: start.firstUnread }
  const rowOf = (message: ShownMessage, index: number) => {
    const row = rowAt(messages, index, options)
    return (
      <div key={message.local_id ?? message.id} className={index === messages.length - 1 ? 'last' : ''}>
        {index === 0 && shown.hasOldest && <HistoryStart narrow={shown.narrow} />}
        <Above row={row} unread={fresh.size} />
        <Message
          message={message}
          isLead={row.isLead}
          isFresh={fresh.has(message.id)}
          isLinked={message.id === start.near}
          isSelected={message.id === (selected ?? last)}
          position={index + 1}
          onQuote={onQuote}
          onMarkUnread={markUnread}
        />
      </div>
    )
  }
  return (
    <div ref={feed} className="feed">
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
        keepMounted={isOpening ? rowsAround(startIndex(ids, start), ids.length) : none}
        onScroll={scrolled}
        onFocus={({ target }) => setSelected(idOf(target))}
      >
        {rowOf}
      </VList>
      {isPrinting && <div className="printed">{messages.map(rowOf)}</div>}
      <Suspense>
        <ToNewest {...{ feed, list, shown, isAtEnd }} onGo={() => void goToEnd()} />
      </Suspense>
      <Pictures feed={feed} shown={shown} />
    </div>
  )
}

/** The messages that were unread when they were shown. They stay marked until the viewer leaves, also once they are read. */
function useFresh(messages: readonly ShownMessage[]): ReadonlySet<number> {
  const fresh = useRef(new Set<number>())
  for (const { id, flags } of messages) if (!flags.includes('read')) fresh.current.add(id)
  return fresh.current
}
