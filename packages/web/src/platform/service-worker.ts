import { goTo } from './routing.ts'
import { trusted } from './trusted-types.ts'

/** Lets the client open without the server. Browsers offer this only on HTTPS and on localhost. */
export function startServiceWorker(): void {
  const { serviceWorker } = navigator
  if (!serviceWorker) return
  serviceWorker.register(trusted.createScriptURL('/sw.js')).catch(() => {}) // the next start retries
  serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ hash?: string }>) => {
    if (data.hash?.startsWith('#')) goTo(data.hash)
  })
  serviceWorker.startMessages()
}
