import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../../../server/src/testing/until.ts'
import { journey, messageWith, openTopic, send } from '../journey.ts'

journey('what is written while the server is down is sent exactly once', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'interrupted')
  await send(page, 'before the crash')
  await page.locator('article.msg:not(.pending)', { hasText: 'before the crash' }).waitFor()
  await demo.kill()
  await page.waitForSelector('.offline')
  for (const text of ['offline one', 'offline two', 'offline three']) await send(page, text)
  await page.waitForSelector('.offline:has-text("3 messages waiting")')
  const first = messageWith(page, 'before the crash')
  await first.hover()
  await first.locator('[aria-label="React with +1"]').click()
  await first.locator('.react[aria-pressed=true]').waitFor()
  await demo.restart()
  await page.waitForSelector('.offline', { state: 'detached', timeout: 60_000 })
  await page.locator('article.msg:not(.pending)').nth(3).waitFor()
  for (const text of ['one', 'two', 'three']) assert.equal(await messageWith(page, `offline ${text}`).count(), 1)

  const member = await demo.as('member')
  const stored = async () => {
    const narrow = [{ operator: 'topic', operand: 'interrupted' }]
    const range = { anchor: 'newest' as never, num_before: 20, num_after: 0 }
    return (await member.call('getMessages', { narrow, ...range })).messages
  }
  // The reaction is sent after the messages.
  await until(async () => (await stored())[0]!.reactions.length === 1)
  assert.equal((await stored()).length, 4)
})

journey('a send whose response is lost is repeated and applied once', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'lost responses')
  let sends = 0
  await page.route('**/api/v1/messages', async (route) => {
    if (route.request().method() !== 'POST' || ++sends > 1) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await send(page, 'only once')
  await send(page, 'afterwards')
  await page.locator('article.msg:not(.pending)', { hasText: 'afterwards' }).waitFor()
  assert.equal(sends, 3)
  assert.equal(await messageWith(page, 'only once').count(), 1)
})

journey('what could not be loaded without the server is loaded once it is back', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  await olivia.call('sendMessage', { type: 'stream', to: 'general', topic: 'not loaded', content: 'here at last' })
  const page = await signIn('Marta', '#recent')
  await page.waitForSelector('.recent >> text=not loaded')
  await page.context().setOffline(true)
  await page.click('.recent >> text=not loaded')
  await page.waitForSelector('main [role=alert]:has-text("This could not be loaded.")')
  await page.waitForSelector('.offline')
  await page.context().setOffline(false)
  await page.waitForSelector('article.msg:has-text("here at last")')
})

journey('a list of topics that cannot be loaded says so, and can be retried', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const { stream_id } = await (await demo.as('member')).call('getChannelId', { stream: 'general' })
  const topics = '**/api/v1/users/me/*/topics*'
  await page.route(topics, (route) => route.fulfill({ status: 500, json: { result: 'error', msg: 'Internal error' } }))
  await page.goto(`${demo.url}/#topics/channel/${stream_id}`)
  await page.waitForSelector('main [role=alert]:has-text("This could not be loaded.")')
  const retry = page.locator('main [role=alert] button:has-text("Retry")')
  const again = page.waitForRequest(topics)
  await retry.click()
  await again
  await page.unroute(topics)
  // Any event loads the list again too, which may remove the button at this moment.
  await Promise.race([retry.click(), page.waitForSelector('.topic-row')])
  await page.waitForSelector('.topic-row')
})

journey('what the server refuses to load is explained in its words', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const refusal = { result: 'error', msg: 'You cannot see these.', code: 'BAD_REQUEST' }
  await page.route('**/api/v1/sessions', (route) => route.fulfill({ status: 400, json: refusal }))
  await page.goto(`${demo.url}/#settings/sessions`)
  await page.waitForSelector('main [role=alert]:has-text("You cannot see these.")')
})

/** The URLs of all files that a page has loaded. */
const loaded = (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .join(),
  )

journey('a screen whose files could not be loaded without the server opens once it is back', async (context) => {
  const page = await context.signIn('Marta')
  // What every screen loads afterwards is not meant here.
  for (const name of ['background', 'early']) await until(async () => (await loaded(page)).includes(name))
  await page.context().setOffline(true)
  await page.waitForSelector('.offline')
  await page.goto(`${context.demo.url}/#drafts`)
  await page.waitForSelector('[role=alert]:has-text("This could not be loaded.")')
  await page.context().setOffline(false)
  await page.waitForSelector('h1:has-text("Drafts")')
})

journey('what runs in the background starts once its files can be loaded', async ({ signIn }) => {
  const page = await signIn('Marta')
  const files = /\/background-/
  await page.route(files, (route) => route.abort())
  const failed = page.waitForEvent('requestfailed', (request) => files.test(request.url()))
  await page.reload()
  await failed
  await page.context().setOffline(true)
  await page.waitForSelector('.offline')
  await page.unroute(files)
  await page.context().setOffline(false)
  // If a part that is shown is missing too, the page loads once more.
  const hasNotifier = async () => (await loaded(page)).includes('background')
  await until(() => hasNotifier().catch(() => false))
})

const fails = { status: 500, json: { result: 'error', msg: 'Internal error' } }

journey('details, read receipts and the history of a message can be retried', async ({ demo, signIn }) => {
  const marta = await demo.as('member')
  const topic = { type: 'stream', to: 'general', topic: 'retried' } as const
  const { id } = await marta.call('sendMessage', { ...topic, content: 'as it was' })
  await marta.call('editMessage', { path: { message_id: id }, content: 'as it is' })
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'retried')
  const row = messageWith(page, 'as it is')
  const retried = async (url: string, open: () => Promise<void>, result: string) => {
    await page.route(url, (route) => route.fulfill(fails))
    await open()
    await page.waitForSelector('[role=alert]:has-text("This could not be loaded.")')
    await page.unroute(url)
    await page.click('[role=alert] button:has-text("Retry")')
    await page.waitForSelector(result)
    await page.keyboard.press('Escape')
  }
  const choose = (action: string) => async () => {
    await page.mouse.move(0, 0)
    await row.hover()
    await row.locator('[aria-label=More]').click()
    await page.click(`[role=menuitem]:has-text("${action}")`)
  }
  await retried('**/messages/*/history*', choose('history'), '.versions')
  await retried('**/messages/*/read_receipts*', choose('Read receipts'), 'text=Nobody has read')
  await retried('**/api/v1/messages?*', () => page.click('[aria-label="About this topic"]'), '.facts')
})

journey('a preview that the server refuses is rendered here, however long that takes', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await page.route('**/messages/render', (route) => route.abort())
  await page.route('**/static/emoji-data.json', async (route) => {
    await page.waitForSelector('.compose :text("The server cannot be reached.")')
    await route.continue()
  })
  await openTopic(page, demo, 'general', 'lunch')
  await page.fill('#composer', '**Done** :tada:')
  await page.click('.compose [aria-label=Preview]')
  await page.waitForSelector('.compose strong:has-text("Done")')
  await page.waitForSelector('.compose .emoji-1f389')
})
