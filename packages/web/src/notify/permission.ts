import { useSyncExternalStore } from 'react'

export type PermissionState = NotificationPermission | 'unsupported'

const listeners = new Set<() => void>()
/** The browser takes milliseconds to answer, too long for every rendering. */
let known: PermissionState | undefined

/** Browsers offer notifications only on HTTPS and on localhost. */
export function currentPermission(): PermissionState {
  return 'Notification' in window ? Notification.permission : 'unsupported'
}

/** Must be called by a click: browsers ignore requests that the user did not cause. */
export async function askPermission(): Promise<PermissionState> {
  if (currentPermission() === 'default') await Notification.requestPermission()
  lookAgain()
  return currentPermission()
}

function lookAgain(): void {
  known = currentPermission()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Users also decide in the settings of the browser, and then come back.
  window.addEventListener('focus', lookAgain)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener('focus', lookAgain)
  }
}

export function usePermission(): PermissionState {
  return useSyncExternalStore(subscribe, () => (known ??= currentPermission()))
}
