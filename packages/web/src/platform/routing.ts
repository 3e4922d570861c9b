import { useSyncExternalStore } from 'react'

const subscribe = (listener: () => void) => {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

/** The part of the URL that names the screen, such as `#narrow/channel/7-design`. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => window.location.hash)
}

export function goTo(hash: string): void {
  window.location.hash = hash
}
