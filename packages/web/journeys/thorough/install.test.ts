import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../../../server/src/testing/until.ts'
import { type Journey, journey, openTopic } from '../journey.ts'

/** Signs in and waits until the client can open without the server. */
async function signInInstalled({ signIn }: Journey): Promise<Page> {
  const page = await signIn('Marta', '#inbox', { serviceWorkers: 'allow' })
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  return page
}

/** No response of the API and no file of a user. */
const isOfClient = /^\/(app\/assets\/.*|static\/emoji-data\.json)?$/

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
  assert.ok((await cachedUrls(page)).every((path) => isOfClient.test(path)))
  await context.demo.restart()
  await page.waitForSelector('.offline', { state: 'detached', timeout: 40_000 })
})

journey('without the server, what one writes is shown with its emoji', async (context) => {
  const page = await signInInstalled(context)
  await openTopic(page, context.demo, 'general', 'lunch')
  await context.demo.kill()
  await page.fill('#composer', 'Done :tada:')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.emoji-1f389').waitFor()
  await context.demo.restart()
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

journey(
  'after an update, the client opens with what the other version stored, and then replaces it',
  async (context) => {
    const page = await signInInstalled(context)
    const storedBy = (client?: string) =>
      page.evaluate(async (name) => {
        const open = indexedDB.open('parley')
        await new Promise((done) => (open.onsuccess = done))
        const states = open.result.transaction('state', 'readwrite').objectStore('state')
        const read = states.get(0) as IDBRequest<{ client: string } | undefined>
        await new Promise((done) => (read.onsuccess = done))
        const written = name !== undefined && read.result && states.put({ ...read.result, client: name }, 0)
        if (written) await new Promise((done) => (written.onsuccess = done))
        open.result.close()
        return read.result?.client
      }, client)
    await until(async () => (await storedBy()) !== undefined)
    await context.demo.kill()
    await storedBy('/app/assets/index-of-another-version.js')
    await page.reload()
    await page.waitForSelector('.side')
    await page.waitForSelector('.offline:has-text("Offline since")')
    assert.equal(await storedBy(), '/app/assets/index-of-another-version.js')
    const registered = page.waitForRequest('**/api/v1/register')
    await context.demo.restart()
    await registered
    await until(
      async () => (await storedBy())!.includes('/app/assets/index-') && !(await storedBy())!.includes('another'),
    )
  },
)

journey('another version of the client on the server is offered', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await page.route(`${demo.url}/`, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replaceAll('/app/assets/index-', '/app/assets/index-newer')
    await route.fulfill({ response, body })
  })
  await page.context().setOffline(true)
  await page.waitForSelector('.offline:has-text("Offline since")')
  assert.equal(await page.locator('text=There is a new version.').count(), 0)
  await page.context().setOffline(false)
  await page.waitForSelector('.offline:has-text("There is a new version.")')
  await page.unroute(`${demo.url}/`)
  await page.click('.offline button:has-text("Reload")')
  await page.waitForSelector('.app')
  assert.equal(await page.locator('text=There is a new version.').count(), 0)
})

journey('signing out removes the stored client', async (context) => {
  const page = await signInInstalled(context)
  assert.ok((await cachedUrls(page)).length > 1)
  await page.evaluate(
    () => void fetch('/api/v1/sessions/current', { method: 'DELETE', headers: { 'Parley-Client': 'web' } }),
  )
  await page.waitForURL('**/login*') // the client notices, and leaves
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
  }
  const { showNotification } = ServiceWorkerRegistration.prototype
  ServiceWorkerRegistration.prototype.showNotification = async function (...args) {
    await showNotification.apply(this, args)
    window.hasShown = true
  }`)
  const isCurrent = page.waitForRequest((request) => /\/events\?(?!.*dont_block)/.test(request.url()))
  await page.reload()
  await isCurrent // what was sent before is not news
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/background-')),
  )
  const amir = await context.demo.as('admin')
  const { user_id } = await (await context.demo.as('member')).call('getOwnUser', {})
  await amir.call('sendMessage', { type: 'direct', to: [user_id], content: 'On the phone' } as never)
  const [worker] = page.context().serviceWorkers()
  await page.waitForFunction(() => 'hasShown' in window) // listing earlier can delete it
  const click = `self.registration.getNotifications().then(([notification]) => {
    self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
    return notification.body
  })`
  assert.equal(await worker!.evaluate(click), 'On the phone')
  await page.waitForURL(/#narrow\/dm\//)
})

journey(
  'what another app shares becomes a message, in the conversation that the user chooses',
  async ({ demo, signIn }) => {
    const page = await signIn('Marta')
    const manifest = (await (await page.request.get(`${demo.url}/manifest.webmanifest`)).json()) as Manifest
    const { action, params } = manifest.share_target
    const shared = {
      [params.title]: 'Menu',
      [params.text]: 'Soup & <b>bread</b>',
      [params.url]: 'https://example.com/menu',
    }
    await page.goto(`${demo.url}${action}?${new URLSearchParams(shared)}`)
    const dialog = page.getByRole('dialog', { name: 'New message' })
    await dialog.getByText('Soup & <b>bread</b>').waitFor()
    assert.equal(new URL(page.url()).search, '')
    await dialog.getByLabel('Topic').fill('lunch')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#composer[placeholder*="lunch"]')
    assert.equal(await page.inputValue('#composer'), 'Menu\nSoup & <b>bread</b>\nhttps://example.com/menu')
    await page.reload()
    await page.waitForSelector('#composer')
    assert.equal(await page.getByRole('dialog').count(), 0)
  },
)

interface Manifest {
  share_target: { action: string; params: { title: string; text: string; url: string } }
}
