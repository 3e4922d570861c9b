import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../../../server/src/testing/until.ts'
import { type Journey, journey } from '../journey.ts'

/** Signs in and waits until the client can open without the server. */
async function signInInstalled({ signIn }: Journey): Promise<Page> {
  const page = await signIn('Marta', '#inbox', { serviceWorkers: 'allow' })
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  return page
}

const cachedUrls = (page: Page) =>
  page.evaluate(async () => {
    const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)))
    const requests = await Promise.all(caches_.map((cache) => cache.keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })

journey('without the server, the client opens with what it stored', async (context) => {
  const page = await signInInstalled(context)
  await page.waitForFunction(async () => (await indexedDB.databases()).length > 0)
  await page.waitForTimeout(3000) // the state is stored while the user does nothing
  await context.demo.kill()
  await page.reload()
  await page.waitForSelector('.side')
  await page.waitForSelector('.offline:has-text("Offline since")')
  assert.ok((await cachedUrls(page)).every((path) => path === '/' || path.startsWith('/app/assets/')))
  await context.demo.restart()
  await page.waitForSelector('.offline', { state: 'detached', timeout: 40_000 })
})

journey('without the server and with nothing stored, the client waits for it', async (context) => {
  const page = await signInInstalled(context)
  await page.addInitScript(`indexedDB.open = () => { throw new DOMException('denied', 'SecurityError') }`)
  await context.demo.kill()
  await page.reload()
  await page.waitForSelector('text=The server cannot be reached.')
  await context.demo.restart()
  await page.waitForSelector('.app', { timeout: 40_000 })
})

journey('signing out removes the stored client', async (context) => {
  const page = await signInInstalled(context)
  assert.ok((await cachedUrls(page)).length > 1)
  await page.evaluate(() =>
    fetch('/api/v1/sessions/current', { method: 'DELETE', headers: { 'Parley-Client': 'web' } }),
  )
  await page.goto(`${context.demo.url}/login`)
  assert.deepEqual(await cachedUrls(page), [])
  assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0)
})

journey('the browser finds nothing wrong with the manifest', async ({ signIn, demo }) => {
  const page = await signIn('Marta')
  const devtools = await page.context().newCDPSession(page)
  const { url, errors, data } = await devtools.send('Page.getAppManifest')
  assert.deepEqual(errors, [])
  assert.equal(url, `${demo.url}/manifest.webmanifest`)
  const { name, icons } = JSON.parse(data!) as { name: string; icons: { src: string; sizes: string }[] }
  assert.equal(name, 'Parley Demo')
  for (const { src, sizes } of icons) {
    const size = await page.evaluate(async (path) => {
      const image = await createImageBitmap(await (await fetch(path)).blob())
      return `${image.width}x${image.height}`
    }, src)
    assert.equal(size, sizes)
  }
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  assert.deepEqual(
    installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
    [],
  )
})

journey('where only the service worker may notify, a click opens the conversation too', async (context) => {
  const page = await signInInstalled(context)
  await page.context().grantPermissions(['notifications'])
  await page.addInitScript(`window.Notification = class {
    static permission = 'granted'
    constructor() { throw new TypeError('Illegal constructor') }
  }`)
  await page.reload()
  await page.waitForSelector('.app')
  const amir = await context.demo.as('admin')
  const { user_id } = await (await context.demo.as('member')).call('getOwnUser', {})
  await amir.call('sendMessage', { type: 'direct', to: [user_id], content: 'On the phone' } as never)
  const [worker] = page.context().serviceWorkers()
  const click = `self.registration.getNotifications().then(([notification]) => {
    if (notification) self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
    return notification?.body
  })`
  await until(async () => (await worker!.evaluate(click)) === 'On the phone')
  await page.waitForURL(/#narrow\/dm\//)
})
