import { useSyncExternalStore } from 'react'

export interface Toast {
  text: string
  isError?: boolean
  undo?: () => void
}

let shown: Toast | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** Shows a short message at the bottom for eight seconds; the latest one replaces the previous. */
export function showToast(toast: Toast | undefined): void {
  shown = toast
  clearTimeout(timer)
  if (toast) timer = setTimeout(() => showToast(undefined), 8000)
  for (const listener of listeners) listener()
}

/** Undoes what the toast offers to undo. */
export function undoLast(): void {
  const undo = shown?.undo
  showToast(undefined)
  undo?.()
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
              Undo <kbd>Ctrl Z</kbd>
            </button>
          )}
        </div>
      )}
    </div>
  )
}
