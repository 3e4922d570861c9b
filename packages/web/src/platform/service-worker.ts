import { trusted } from './trusted-types.ts'

/** Lets the client open without the server. Browsers offer this only on HTTPS and on localhost. */
export function startServiceWorker(): void {
  const { serviceWorker } = navigator
  if (!serviceWorker) return
  serviceWorker.register(trusted.createScriptURL('/sw.js')).catch(() => {}) // the next start retries
}
