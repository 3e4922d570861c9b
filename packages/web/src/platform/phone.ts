import { useSyncExternalStore } from 'react'

/** The width below which the client shows one column; the style sheets say the same. */
const query = matchMedia('(width < 820px)')

const subscribe = (listener: () => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

export function useIsPhone(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches)
}
