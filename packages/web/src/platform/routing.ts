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

/** Screens that go on under another hash. */
const continued = new Map<string, string>()

/** Names the screen of this hash by another one, and keeps it as it is: a field in it keeps the focus. */
export function continueAt(hash: string): void {
  continued.set(hash, screenKey(window.location.hash))
  window.location.replace(hash)
}

/** The same for hashes of the same screen. */
export function screenKey(hash: string): string {
  return continued.get(hash) ?? hash
}

/** Browsers pass messages of the service worker on as soon as the page is parsed, so this cannot wait for the client. */
export function followNotificationClicks(): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ hash?: string }>) => {
    if (data.hash?.startsWith('#')) goTo(data.hash)
  })
}
