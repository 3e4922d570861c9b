import { useSyncExternalStore } from 'react'
import { t } from '../platform/i18n.ts'
import { keyLabel } from '../platform/keys.ts'

export interface Toast {
  text: string
  isError?: boolean
  undo?: () => void
}

let shown: Toast | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()
/** What can be undone, the latest last. */
const done: Toast[] = []
const mostUndone = 20

const shownFor = 8000

/** Shows a short message at the bottom for eight seconds; the latest one replaces the previous. */
export function showToast(toast: Toast | undefined): void {
  shown = toast
  clearTimeout(timer)
  if (toast) timer = setTimeout(() => showToast(undefined), shownFor)
  if (toast?.undo) done.splice(0, Math.max(0, done.push(toast) - mostUndone))
  for (const listener of listeners) listener()
}

/** Says that something was done, but does it only after eight seconds, in which it can be undone. */
export function holdAct(text: string, act: () => void): void {
  const finish = () => {
    clearTimeout(timer)
    held.delete(finish)
    done.splice(done.indexOf(toast), 1)
    act()
  }
  const timer = setTimeout(finish, shownFor)
  const undo = () => {
    clearTimeout(timer)
    held.delete(finish)
  }
  const toast: Toast = { text, undo }
  held.add(finish)
  showToast(toast)
}

const held = new Set<() => void>()
// Closing the window is not undoing: what was said to be done is done.
window.addEventListener('pagehide', () => {
  for (const finish of [...held]) finish()
})

/** Undoes the latest act that can be undone, also after its toast has disappeared. */
export function undoLast(): boolean {
  const last = done.pop()
  if (!last) return false
  showToast({ text: t('toast.undone', { action: last.text }) })
  last.undo?.()
  return true
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function Toasts() {
  const toast = useSyncExternalStore(subscribe, () => shown)
  return (
    <div role="status" aria-live="polite">
      {toast && (
        <div className={`toast ${toast.isError ? 'error' : ''}`}>
          <span>{toast.text}</span>
          {toast.undo && (
            <button type="button" onClick={undoLast}>
              {t('common.undo')} <kbd>{keyLabel('Ctrl+z')}</kbd>
            </button>
          )}
        </div>
      )}
    </div>
  )
}
