import { goTo } from '../platform/routing.ts'
import { insertText } from './editing.ts'

const patience = 3000

/** Focuses the composer, as soon as the screen that is being opened shows one. */
export function focusComposer(text = ''): void {
  const until = Date.now() + patience
  const attempt = () => {
    const area = document.querySelector<HTMLTextAreaElement>('#composer')
    if (!area) return Date.now() < until && requestAnimationFrame(attempt)
    area.focus()
    area.setSelectionRange(area.value.length, area.value.length)
    if (text) insertText(area, text)
  }
  attempt()
}

/** Opens a conversation, unless it is open, and focuses its composer. */
export function writeIn(hash: string, text = ''): void {
  if (window.location.hash === hash) return focusComposer(text)
  goTo(hash)
  // The composer of the screen that is being left disappears first.
  setTimeout(focusComposer, 60, text)
}
