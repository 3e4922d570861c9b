/// <reference lib="webworker" />
declare const self: ServiceWorkerGlobalScope
/** The build puts the version of the client and the paths of its files here. */
declare const SHELL_VERSION: string
declare const SHELL_FILES: string[]

/*
 * Keeps the files of the client, so that it opens without the server. It never stores a response of the API or a file of a
 * user. Signing out deletes everything (Clear-Site-Data).
 */
const cacheName = `shell-${SHELL_VERSION}`

self.addEventListener('install', (event) => event.waitUntil(fillCache()))
self.addEventListener('activate', (event) => event.waitUntil(takeOver()))

/** If anything is missing, the browser keeps the version before and retries later. */
async function fillCache(): Promise<void> {
  const shell = await fetch('/', { cache: 'no-cache' })
  if (!shell.ok || shell.redirected) throw new Error('The client is not available: signed out, or being built.')
  const cache = await caches.open(cacheName)
  await Promise.all([cache.put('/', shell), cache.addAll(SHELL_FILES)])
}

/** Only once no window uses the version before: it may still need its files, which the server no longer has. */
async function takeOver(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name !== cacheName)
  await Promise.all(old.map((name) => caches.delete(name)))
  await self.clients.claim()
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode === 'navigate' && pathname === '/') event.respondWith(openShell(request))
  else if (pathname.startsWith('/app/')) event.respondWith(openFile(request))
})

/** From the server, which also knows who is signed in; without it, from the cache. */
async function openShell(request: Request): Promise<Response> {
  const response = await fetch(request).catch(() => undefined)
  if (response && response.status < 500) return response
  return (await caches.match('/')) ?? response ?? Response.error()
}

/** Names contain a hash of the content, so that a cached file is never outdated. */
async function openFile(request: Request): Promise<Response> {
  const cached = await caches.match(request)
  if (cached) return cached
  const response = await fetch(request)
  if (response.ok) await (await caches.open(cacheName)).put(request, response.clone())
  return response
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { hash } = (event.notification.data ?? {}) as { hash?: string }
  event.waitUntil(openHash(hash ?? '#inbox'))
})

/** In a window that is open, or else in a new one. */
async function openHash(hash: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window' })
  const client = windows.find(({ url }) => new URL(url).pathname === '/')
  if (!client) return void (await self.clients.openWindow(`/${hash}`))
  client.postMessage({ hash })
  await client.focus()
}
