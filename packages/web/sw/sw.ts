/// <reference lib="webworker" />
declare const self: ServiceWorkerGlobalScope
/** The build puts the version of the client and the paths of its files here. */
declare const SHELL_VERSION: string
declare const SHELL_FILES: string[]
/** Texts by language and id. */
declare const WORKER_TEXTS: Record<string, Record<string, string>>

/*
 * Keeps the files of the client, so that it opens without the server. It never stores a response of the API or a file of a
 * user. Signing out deletes everything (Clear-Site-Data).
 */
const cacheName = `shell-${SHELL_VERSION}`

declare global {
  interface ExtendableEvent {
    /** In installation events of some browsers. */
    addRoutes?(rules: { condition: { urlPattern: string }; source: { cacheName: string } }[]): Promise<void>
  }
}

/** The browser takes these from the cache by itself, without waiting for this script. */
const scriptRoutes = ['/app/assets/*.js', '/app/assets/*.css'].map((urlPattern) => ({
  condition: { urlPattern },
  source: { cacheName },
}))

self.addEventListener('install', (event) => {
  event.waitUntil(fillCache())
  void event.addRoutes?.(scriptRoutes).catch(() => {}) // then this script answers
})
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
  await self.registration.navigationPreload?.enable()
  await self.clients.claim()
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode === 'navigate' && pathname === '/') event.respondWith(openShell(event))
  else if (SHELL_FILES.includes(pathname) || pathname.startsWith('/app/')) event.respondWith(openFile(request))
})

/** From the server, which also knows who is signed in; without it, from the cache. */
async function openShell({ request, preloadResponse }: FetchEvent): Promise<Response> {
  // The browser asks the server while it starts this script.
  const early: Promise<Response | undefined> = preloadResponse
  const response = await early.then((answer) => answer ?? fetch(request)).catch(() => undefined)
  if (response && response.status < 500) return response
  return (await caches.match('/')) ?? response ?? Response.error()
}

/** Names contain a hash of the content, so that a cached file is never outdated. */
async function openFile(request: Request): Promise<Response> {
  const cached = await caches.match(request)
  if (cached) return cached
  const response = await fetch(request)
  // Signing out has deleted the cache; a request that ends later must not create it again.
  if (response.ok && (await caches.has(cacheName))) await (await caches.open(cacheName)).put(request, response.clone())
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

/** What the server sends: `Notification` in packages/server/src/delivery/push. */
interface Push {
  language: string
  organization: string
  tag: string
  /** For how many messages of the conversation it stands; absent: one. */
  count?: number
  /** Messages whose notifications are to be closed. */
  removed?: number[]
  message?: {
    id: number
    sender: string
    image?: string
    channel?: { name: string; topic: string }
    others: number
    text?: string
    hash: string
  }
}

let shown = Promise.resolve()

/** One after the other: two that arrive together may otherwise be shown in either order. */
self.addEventListener('push', (event) => {
  const show = () => showPush(event.data?.json() as Push)
  shown = shown.then(show, show)
  event.waitUntil(shown)
})

/** Notifications of one conversation replace each other, but never one about a later message. */
async function showPush(push: Push): Promise<void> {
  const { message, tag, removed = [] } = push
  if (removed.length > 0) await close(new Set(removed))
  if (tag === 'removed') return
  if (message && ((await isInView()) || (await isOutdated(tag, message.id)) || !(await claim(message.id)))) return
  if (!message) await sayArrived()
  await self.registration.showNotification(titleOf(push), {
    tag,
    body: bodyOf(push),
    icon: message?.image ?? '/static/icon-192.png',
    badge: '/static/icon-192.png',
    ...(message && { renotify: true, data: { hash: message.hash, id: message.id } }),
  } as NotificationOptions)
}

/** The page that sent the test waits for it. */
async function sayArrived(): Promise<void> {
  for (const client of await self.clients.matchAll({ type: 'window', includeUncontrolled: true }))
    client.postMessage({ hasArrived: true })
}

/** Their messages were read, deleted or muted elsewhere. */
async function close(messageIds: Set<number>): Promise<void> {
  for (const shown of await self.registration.getNotifications())
    if (messageIds.has((shown.data as { id?: number } | null)?.id ?? 0)) shown.close()
}

/** A window that is in view shows the message itself. */
async function isInView(): Promise<boolean> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return windows.some(({ visibilityState }) => visibilityState === 'visible')
}

/** Push services do not promise an order. */
async function isOutdated(tag: string, messageId: number): Promise<boolean> {
  const others = await self.registration.getNotifications({ tag })
  return others.some(({ data }) => (data as { id: number }).id > messageId)
}

/** Windows in the background notify too. The first to claim a message does, as in src/notify/notifier.ts. */
function claim(messageId: number): Promise<boolean> {
  return new Promise((resolve) => {
    void navigator.locks.request(`parley-notify-${messageId}`, { ifAvailable: true }, async (lock) => {
      resolve(lock !== null)
      if (lock) await new Promise((done) => setTimeout(done, 10_000))
    })
  })
}

function titleOf({ language, organization, message }: Push): string {
  if (!message) return text(language, 'push.test.title', { organization })
  const { sender, channel, others } = message
  if (channel)
    return `${sender} · #${channel.name} > ${channel.topic.replace(/^✔ /, '') || text(language, 'topic.general')}`
  return others > 0 ? text(language, 'notify.toGroup', { sender, count: others }) : sender
}

function bodyOf({ language, message, count }: Push): string {
  if (!message) return text(language, 'push.test.body')
  const body = message.text ?? text(language, message.channel ? 'push.message' : 'notify.newDirect')
  return count ? `${text(language, 'push.count', { count })}\n${body}` : body
}

function text(language: string, id: string, values: Record<string, string | number> = {}): string {
  const texts = WORKER_TEXTS[language] ?? WORKER_TEXTS[language.split('-')[0]!] ?? WORKER_TEXTS.en!
  return texts[id]!.replace(/\{(\w+)(?:, number)?\}/g, (_, name: string) => String(values[name])).replaceAll("''", "'")
}

/** Declared here because the library of the compiler lacks it. */
interface SubscriptionChange extends ExtendableEvent {
  oldSubscription: PushSubscription | null
  newSubscription: PushSubscription | null
}

self.addEventListener('pushsubscriptionchange', ((event: SubscriptionChange) =>
  event.waitUntil(registerAgain(event))) as unknown as EventListener)

/** The browser replaced its subscription, so the server needs the new one. */
async function registerAgain({ oldSubscription, newSubscription }: SubscriptionChange): Promise<void> {
  const options = oldSubscription?.options
  const next = newSubscription ?? (options && (await self.registration.pushManager.subscribe(options)))
  const { endpoint, keys } = next?.toJSON() ?? {}
  if (!endpoint || !keys) return
  const call = (method: string, params: Record<string, string>) =>
    fetch('/api/v1/users/me/web_push', {
      method,
      headers: { 'Parley-Client': 'web' },
      body: new URLSearchParams(params),
    })
  if (oldSubscription) await call('DELETE', { endpoint: oldSubscription.endpoint })
  await call('POST', { endpoint, p256dh: keys.p256dh!, auth: keys.auth! })
}
