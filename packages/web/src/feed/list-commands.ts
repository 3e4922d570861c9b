import type { RefObject } from 'react'
import type { VListHandle } from 'virtua'
import type { Handlers } from '../platform/commands.ts'

export function idOf(target: Element): number | undefined {
  const row = target.closest<HTMLElement>('[data-message-id]')
  return row ? Number(row.dataset.messageId) : undefined
}

export function isInside(feed: HTMLElement | null): boolean {
  return feed?.contains(document.activeElement) ?? false
}

/** Rows appear some frames after the list has scrolled to them. */
export function focusRow(id: number, frames = 30): void {
  const row = document.querySelector<HTMLElement>(`[data-message-id="${id}"]`)
  if (row) row.focus({ preventScroll: true })
  else if (frames > 0) requestAnimationFrame(() => focusRow(id, frames - 1))
}

function visibleIndexes(list: VListHandle | null): [first: number, last: number] {
  if (!list) return [0, 0]
  return [list.findItemIndex(list.scrollOffset), list.findItemIndex(list.scrollOffset + list.viewportSize - 1)]
}

/** Moves between messages and scrolls. Starts at what is visible if the selected message is not. */
export function listCommands(
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
