import type { MessageWindow } from '@parley/client/messages/window'
import { type RefObject, useEffect, useState } from 'react'
import type { VListHandle } from 'virtua'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

interface ToNewestProps {
  feed: RefObject<HTMLElement | null>
  list: RefObject<VListHandle | null>
  shown: MessageWindow
  /** The list follows its end. */
  isAtEnd: RefObject<boolean>
  onGo: () => void
}

/**
 * Leads to the newest message, with the number of unread ones below what is visible. A component of its own, because that
 * changes while the list is scrolled.
 */
export function ToNewest({ feed, list, shown, isAtEnd, onGo }: ToNewestProps) {
  const { messages } = useSession()
  const { lastVisible, isFar } = usePlace(feed, list, shown)
  const isUnread = (id: number) => id > (lastVisible ?? id) && !messages.byId.get(id)?.flags.includes('read')
  const count = shown.ids.filter(isUnread).length
  if (isAtEnd.current || (count === 0 && !isFar && shown.hasNewest)) return null
  return (
    <Button look="primary to-end" title={t('feed.toNewest')} onClick={onGo}>
      {count > 0 ? t('feed.newBelow', { count }) : t('feed.toNewest')}
      <Icon name="arrow-down" size="s" />
    </Button>
  )
}

/** The last visible message, and whether the end is more than a screen away. */
function usePlace(feed: ToNewestProps['feed'], list: ToNewestProps['list'], shown: MessageWindow) {
  const [lastVisible, setLastVisible] = useState<number>()
  const [isFar, setFar] = useState(false)
  useEffect(() => {
    const scroller = feed.current!.querySelector('.feed-list')!
    const update = () => {
      if (!list.current) return // the list is gone before its observers are
      const { scrollTop, clientHeight, scrollHeight } = scroller
      setLastVisible(shown.ids[list.current.findItemIndex(scrollTop + clientHeight - 1)])
      setFar(scrollHeight - scrollTop - clientHeight > clientHeight)
    }
    scroller.addEventListener('scroll', update, { passive: true })
    const observer = new ResizeObserver(update)
    for (const one of [scroller, scroller.firstElementChild!]) observer.observe(one)
    return () => {
      scroller.removeEventListener('scroll', update)
      observer.disconnect()
    }
  }, [feed, list, shown])
  return { lastVisible, isFar }
}
