import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { transactIn } from '../../packages/server/src/context.ts'
import { sessionHashOf } from '../../packages/server/src/identity/sessions/session-cookie.ts'
import { addCredential } from '../../packages/server/src/identity/sessions/stored-credentials.ts'
import { withContext } from './realm.ts'

export function launchChromium(): Promise<Browser> {
  const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
    (path) => path && existsSync(path),
  )
  if (!executablePath) throw new Error('CHROMIUM was not found: install it, or set CHROMIUM to its path.')
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run']
  return chromium.launch({ executablePath, args: [...args, '--enable-precise-memory-info'] })
}

/** The cookie of a new session of this user. */
export function signIn(databaseUrl: string, realmId: number, userId: number): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  return withContext(databaseUrl, async (ctx) => {
    const session = { userId, kind: 'session', secretHash: sessionHashOf(`parley=${secret}`)! } as const
    const unlimited = { userAgent: 'bench', ipAddress: '127.0.0.1', idleSeconds: null, expiresAt: null }
    await transactIn(ctx, realmId, (tx) => addCredential(tx, { ...session, ...unlimited }))
    return secret
  })
}

/** A browser profile that is signed in; nothing is in its cache. */
export async function newProfile(
  browser: Browser,
  url: string,
  session: { secret: string; userId: number | string },
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  await context.addCookies([
    { name: 'parley', value: session.secret, url },
    { name: 'parley-account', value: String(session.userId), url },
  ])
  await context.addInitScript(probe)
  context.setDefaultTimeout(60_000)
  return context
}

/**
 * Records when the first message was shown, slow frames, slow interactions, and shifts of the layout as browsers do
 * (CLS): the largest sum of shifts that follow each other within a second, for five seconds at most.
 */
const probe = `
  window.probe = { shift: 0, interactions: new Map(), frames: [] }
  let burst = { start: -Infinity, end: -Infinity, sum: 0 }
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, startTime, value } of list.getEntries()) {
      if (hadRecentInput) continue
      if (startTime > burst.end + 1000 || startTime > burst.start + 5000) burst = { start: startTime, sum: 0 }
      burst.end = startTime
      burst.sum += value
      probe.shift = Math.max(probe.shift, burst.sum)
    }
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) probe.interactions.set(interactionId, Math.max(duration, probe.interactions.get(interactionId) ?? 0))
  }).observe({ type: 'event', buffered: true, durationThreshold: 16 })
  probe.painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))
  probe.watch = (selector) => new Promise((resolve) => {
    const check = () => document.querySelector(selector) && (observer.disconnect(), resolve(performance.now()))
    const observer = new MutationObserver(check)
    observer.observe(document, { subtree: true, childList: true, attributes: true })
    check()
  })
  probe.first = probe.watch('article.msg')
  probe.countFrames = () => {
    let last = performance.now()
    const next = (now) => { probe.frames.push(now - last); last = now; requestAnimationFrame(next) }
    requestAnimationFrame(next)
  }`

export function evaluate<T>(page: Page, script: string): Promise<T> {
  return page.evaluate(script) as Promise<T>
}

/** Milliseconds for a fixed amount of work in the same browser, to compare machines and moments. */
export function yardstick(page: Page): Promise<number> {
  return evaluate(
    page,
    `(() => { const start = performance.now()
      const list = Array.from({ length: 300000 }, (_, n) => 'x' + (n * 7919) % 300007)
      JSON.parse(JSON.stringify(list.sort().map((text) => ({ text })))); return performance.now() - start })()`,
  )
}
