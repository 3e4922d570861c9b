import { type RefObject, useEffect, useRef } from 'react'
import type { VListHandle } from 'virtua'

/** A message and how many pixels below the top of the list it stands. */
export interface ScrollPlace {
  id: number
  top: number
}

/** Where the list was when the user left this entry of the browser's history. */
export function placeOfEntry(): ScrollPlace | undefined {
  return (history.state as { place?: ScrollPlace } | null)?.place
}

const pause = 150

interface Kept {
  feed: RefObject<HTMLElement | null>
  list: RefObject<VListHandle | null>
  isAtEnd: RefObject<boolean>
}

/** Keeps the place in the entry of the history, so that Back and reloading return to exactly there. */
export function useSavedPlace({ feed, list, isAtEnd }: Kept, ids: readonly number[], isOn: boolean): void {
  const latest = useRef(ids)
  latest.current = ids
  useEffect(() => {
    if (!isOn) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const save = (hash: string) => {
      timer = undefined
      // Otherwise the entry is already that of the next screen.
      if (window.location.hash !== hash || !list.current) return
      const place = isAtEnd.current ? undefined : placeIn(list.current, latest.current)
      history.replaceState({ ...history.state, place }, '')
    }
    const scrolled = () => {
      timer ??= setTimeout(save, pause, window.location.hash)
    }
    const scroller = feed.current!.querySelector('.feed-list')!
    scroller.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      scroller.removeEventListener('scroll', scrolled)
      clearTimeout(timer)
    }
  }, [feed, list, isAtEnd, isOn])
}

function placeIn(list: VListHandle, ids: readonly number[]): ScrollPlace | undefined {
  const index = list.findItemIndex(list.scrollOffset)
  const id = ids[index]
  return id === undefined ? undefined : { id, top: list.getItemOffset(index) - list.scrollOffset }
}

/** What users do to scroll, among other things. */
const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const
/** Milliseconds for which `scrollToIndex` may go on. */
const ownScroll = 500

/**
 * Keeps the place of the list while polls and images grow, or the composer takes space: where it was opened until the
 * user does something, and afterwards the end. `scrollToIndex` repeats itself for a while, and would hold on to a list
 * that the user scrolls. Assistive technology scrolls without any input.
 */
export function useKeptPlace({ feed, isAtEnd }: Omit<Kept, 'list'>, toStart: () => void): void {
  const latest = useRef(toStart)
  latest.current = toStart
  useEffect(() => {
    const list = feed.current!.querySelector('.feed-list')!
    const used = new AbortController()
    const { signal } = used
    const use = () => used.abort()
    let own = performance.now()
    for (const input of inputs) window.addEventListener(input, use, { capture: true, passive: true, signal })
    list.addEventListener('scroll', () => performance.now() - own > ownScroll && use(), { passive: true, signal })
    const observer = new ResizeObserver(() => {
      if (signal.aborted) {
        if (isAtEnd.current) list.scrollTop = list.scrollHeight
        return
      }
      own = performance.now()
      latest.current()
    })
    for (const one of [list, list.firstElementChild!]) observer.observe(one)
    return () => {
      use()
      observer.disconnect()
    }
  }, [feed, isAtEnd])
}
