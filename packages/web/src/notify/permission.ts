import { useSyncExternalStore } from 'react'

export type PermissionState = NotificationPermission | 'unsupported'

const listeners = new Set<() => void>()

/** Browsers offer notifications only on HTTPS and on localhost. */
export function currentPermission(): PermissionState {
  return 'Notification' in window ? Notification.permission : 'unsupported'
}

/** Must be called by a click: browsers ignore requests that the user did not cause. */
export async function askPermission(): Promise<PermissionState> {
  if (currentPermission() === 'default') await Notification.requestPermission()
  for (const listener of listeners) listener()
  return currentPermission()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Users also decide in the settings of the browser, and then come back.
  window.addEventListener('focus', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('focus', listener)
  }
}

export function usePermission(): PermissionState {
  return useSyncExternalStore(subscribe, currentPermission)
}
