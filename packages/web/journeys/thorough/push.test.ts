import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { allThemes, findProblems } from '../../../server/src/testing/browser.ts'
import { type Browser, newPushService } from '../../../server/src/testing/peers/push-service.ts'
import { until } from '../../../server/src/testing/until.ts'
import { type Journey, journey } from '../journey.ts'

const phone = { width: 390, height: 844 }
const line = '.line-item:has-text("Notify me on this device")'
const button = `${line} [role=switch]`

/** Replaces the connection to a real push service, which tests do not have. */
const pushManager = ({ keys: { endpoint, p256dh, auth } }: Browser) => `
const subscription = {
  endpoint: '${endpoint}',
  toJSON: () => ({ endpoint: '${endpoint}', keys: { p256dh: '${p256dh}', auth: '${auth}' } }),
  unsubscribe: async () => { delete localStorage.subscribed; return true },
}
PushManager.prototype.getSubscription = async () => (localStorage.subscribed ? subscription : null)
PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
  if (localStorage.pushFails) throw new DOMException('no push service', 'AbortError')
  if (!userVisibleOnly || applicationServerKey.length !== 87) throw new TypeError('wrong options')
  localStorage.subscribed = 'yes'
  return subscription
}`

async function openSettings(
  { signIn }: Journey,
  script: string,
  viewport = { width: 1280, height: 800 },
): Promise<Page> {
  const page = await signIn('Marta', '#inbox', { serviceWorkers: 'allow', viewport })
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await page.context().grantPermissions(['notifications'])
  await page.addInitScript(script)
  await page.goto(`${new URL(page.url()).origin}/#settings/notifications`)
  await page.reload()
  await page.waitForSelector(line)
  return page
}

const workerOf = (page: Page) => page.context().serviceWorkers()[0]!

/** While Chromium shows a notification, listing those that are shown can delete it. So tests wait before they list. */
const countShown = `{
  const show = self.registration.showNotification.bind(self.registration)
  self.shown = 0
  self.registration.showNotification = async (...args) => { await show(...args); self.shown++ }
}`

/** Waits until the service worker has shown so many notifications, also those that replaced others. */
const untilShown = (page: Page, count: number) =>
  until(async () => (await workerOf(page).evaluate<number>('self.shown')) === count)

/** The notifications that one sees. */
const shownBy = (page: Page): Promise<string[]> =>
  workerOf(page).evaluate(
    `self.registration.getNotifications().then((all) => all.map(({ title, body }) => title + ': ' + body))`,
  )

/** How many windows the service worker sees. */
const windowsOf = (page: Page): Promise<number> =>
  workerOf(page).evaluate(
    `self.clients.matchAll({ type: 'window', includeUncontrolled: true }).then(({ length }) => length)`,
  )

/** Gives the service worker what arrived at the push service together, as the browser does. */
async function pass(page: Page, ...contents: object[]): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  const { origin } = new URL(workerOf(page).url())
  const registrationId = await registered
  const sent = contents.map((content) =>
    devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(content) }),
  )
  await Promise.all(sent)
  await devtools.detach()
}

journey(
  'a device is turned on and tested; messages notify it while no window is in view; a click opens them',
  async (context) => {
    const browser = (await newPushService()).newBrowser()
    const page = await openSettings(context, pushManager(browser))
    await page.click(button)
    await page.waitForSelector(`${button}[aria-checked=true]`)
    await page.click('button:has-text("Send a test notification")')
    const test = await until(() => browser.notifications()[0])
    await workerOf(page).evaluate(countShown)
    await pass(page, test)
    await untilShown(page, 1)
    assert.deepEqual(await shownBy(page), [
      'Parley Demo can reach you here: This is what notifications look like on this device.',
    ])

    const amir = await context.demo.as('admin')
    const { user_id } = await (await context.demo.as('member')).call('getOwnUser', {})
    const { id } = await amir.call('sendMessage', { type: 'direct', to: [user_id], content: 'Are you there?' } as never)
    await amir.call('sendMessage', { type: 'direct', to: [user_id], content: 'Hello?' } as never)
    const pushes = await until(() => browser.notifications().length === 3 && browser.notifications().slice(1))
    assert.equal(pushes[0]!.message!.id, id)
    await pass(page, pushes[0]!)
    assert.equal((await shownBy(page)).length, 1, 'a window is in view')
    await page.goto('about:blank')
    await until(async () => (await windowsOf(page)) === 0)
    await pass(page, ...pushes)
    await untilShown(page, 3)
    assert.equal((await shownBy(page)).length, 2, 'the conversation has one notification')
    assert.ok((await shownBy(page)).includes('Amir: Hello?'))
    const late = { ...pushes[0]!, message: { ...pushes[0]!.message!, id: id - 0.5 } }
    await pass(page, late, { ...test, tag: 'after-late' })
    await untilShown(page, 4)
    assert.equal((await shownBy(page)).length, 3)
    assert.ok((await shownBy(page)).includes('Amir: Hello?'), 'an earlier message does not replace a later one')

    await page.goto(`${context.demo.url}/#recent`, { waitUntil: 'domcontentloaded' })
    await workerOf(page).evaluate(`self.registration.getNotifications().then((all) => {
    const notification = all.find(({ body }) => body === 'Hello?')
    self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
  })`)
    await page.waitForURL(/#narrow\/dm\/.+\/near\/\d+$/)
    await page.waitForSelector('article.msg:has-text("Hello?")') // the page is still opening when its URL changes

    await page.goto(`${context.demo.url}/#settings/notifications`)
    await page.click(button)
    await page.waitForSelector(`${button}[aria-checked=false]`)
    assert.deepEqual((await (await context.demo.as('member')).call('getWebPush')).endpoints, [])
  },
)

journey('a subscription that the browser replaces is replaced on the server', async (context) => {
  const service = await newPushService()
  const [before, after] = [service.newBrowser(), service.newBrowser()]
  const page = await openSettings(context, pushManager(before))
  await page.click(button)
  await page.waitForSelector(`${button}[aria-checked=true]`)
  const marta = await context.demo.as('member')
  const endpoints = async () => (await marta.call('getWebPush')).endpoints
  assert.deepEqual(await endpoints(), [before.keys.endpoint])
  const subscriptionOf = ({ keys: { endpoint, p256dh, auth } }: Browser) =>
    `{ endpoint: '${endpoint}', options: {}, toJSON: () => (${JSON.stringify({ endpoint, keys: { p256dh, auth } })}) }`
  // The browser names the new subscription, or leaves it to the page to subscribe again.
  for (const [from, to, isNamed] of [
    [before, after, true],
    [after, before, false],
  ] as const) {
    await workerOf(page).evaluate(`
      PushManager.prototype.subscribe = async () => (${subscriptionOf(to)})
      self.dispatchEvent(Object.assign(new ExtendableEvent('pushsubscriptionchange'), {
        oldSubscription: ${subscriptionOf(from)}, newSubscription: ${isNamed ? subscriptionOf(to) : 'null'},
      }))`)
    await until(async () => JSON.stringify(await endpoints()) === JSON.stringify([to.keys.endpoint]))
  }
  await marta.call('testWebPush', { endpoint: before.keys.endpoint })
  await until(() => before.notifications().length === 1)
})

journey('the settings say why a device cannot be notified, and are accessible in every state', async (context) => {
  const browser = (await newPushService()).newBrowser()
  const cases = [
    ['delete window.PushManager', 'This browser cannot receive notifications here.'],
    [`Object.defineProperty(Notification, 'permission', { get: () => 'denied' })`, 'Blocked.'],
    [`localStorage.pushFails = 'yes';${pushManager(browser)}`, 'even when no window is open'],
  ] as const
  for (const [script, expected] of cases) {
    const page = await openSettings(context, script, phone)
    await page.waitForSelector(`${line}:has-text("${expected}")`)
    assert.equal(await page.isDisabled(button), !script.includes('pushFails'))
    if (script.includes('pushFails')) {
      await page.click(button)
      await page.waitForSelector('[role=alert]:has-text("could not reach its push service")')
    }
    assert.deepEqual(await findProblems(page, { name: expected, part: { include: ['main'] }, themes: allThemes }), [])
    await page.close()
  }
})
