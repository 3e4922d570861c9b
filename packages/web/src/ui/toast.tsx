import { useSyncExternalStore } from 'react'
import { t } from '../platform/i18n.ts'
import { keyLabel } from '../platform/keys.ts'

export interface Toast {
  text: string
  isError?: boolean
  undo?: () => void
  /** Where what was done can be seen. */
  link?: { hash: string; text: string }
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
  if (toast) keep(toast)
  for (const listener of listeners) listener()
}

function keep(toast: Toast): void {
  if (toast.undo) done.splice(0, Math.max(0, done.push(toast) - mostUndone))
}

/**
 * Says that something was done, but does it only after eight seconds, in which it can be undone. Calls `ended` after
 * either, and returns what undoes it. Where the place itself says it, there is no toast.
 */
export function holdAct(text: string, act: () => void, ended = () => {}, isSaidInPlace = false): () => void {
  const end = (isDone: boolean) => {
    if (!held.delete(finish)) return
    if (isDone) {
      forget(toast)
      act()
    }
    ended()
  }
  const finish = () => end(true)
  const toast: Toast = { text, undo: () => end(false) }
  held.add(finish)
  setTimeout(finish, shownFor)
  if (isSaidInPlace) keep(toast)
  else showToast(toast)
  return () => undo(toast)
}

function forget(toast: Toast): void {
  const index = done.indexOf(toast)
  if (index >= 0) done.splice(index, 1)
}

function undo(toast: Toast): void {
  forget(toast)
  showToast({ text: t('toast.undone', { action: toast.text }) })
  toast.undo?.()
}

const held = new Set<() => void>()
// Closing the window is not undoing: what was said to be done is done.
window.addEventListener('pagehide', () => {
  for (const finish of [...held]) finish()
})

/** Undoes the latest act that can be undone, also after its toast has disappeared. */
export function undoLast(): boolean {
  const last = done.at(-1)
  if (last) undo(last)
  return last !== undefined
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
          {toast.link && (
            <a className="btn" href={toast.link.hash} onClick={() => showToast(undefined)}>
              {toast.link.text}
            </a>
          )}
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
