import type { MessageWindow } from '@parley/client/messages/window'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useState } from 'react'
import type { CacheSnapshot, VListHandle } from 'virtua'

/**
 * Pixels of rows that are rendered beyond the view, so that they have their heights before they are seen: otherwise what is
 * read moves when rows above it turn out to be higher. Fewer until the first screen is shown.
 */
export function useRenderedAhead(): number {
  const [ahead, setAhead] = useState(200)
  useEffect(() => {
    const timer = setTimeout(setAhead, 200, 1200)
    return () => clearTimeout(timer)
  }, [])
  return ahead
}

/** About as many rows as fill a screen. Rendered at once, before the list knows how large it is. */
export function rowsAround(start: number, length: number): number[] {
  const first = Math.max(0, (start < 0 ? length : start + 8) - 12)
  return Array.from({ length: Math.min(12, length - first) }, (_, n) => first + n)
}

const measured = new WeakMap<readonly number[], CacheSnapshot>()

/** The heights of the rows when the same messages were shown last: with them the list opens in one step. */
export function useHeights(list: RefObject<VListHandle | null>, shown: MessageWindow): CacheSnapshot | undefined {
  useLayoutEffect(() => () => void (list.current && measured.set(shown.ids, list.current.cache)), [list, shown])
  return useMemo(() => measured.get(shown.ids), [shown])
}
