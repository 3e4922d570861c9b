import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../../../server/src/testing/until.ts'
import { type Demo, journey, messageWith, openTopic, send } from '../journey.ts'

const shown = (page: Page, text: string) => page.locator('article.msg:not(.pending)', { hasText: text })

async function edit(page: Page, text: string): Promise<void> {
  await shown(page, text).hover()
  await shown(page, text).locator('[aria-label="More"]').click()
  await page.click('[role=menuitem]:has-text("Edit")')
  await page.waitForSelector('.editing textarea')
}

async function openWith(page: Page, demo: Demo, topic: string, text: string): Promise<void> {
  await openTopic(page, demo, 'general', topic)
  await send(page, text)
  await shown(page, text).waitFor()
}

journey('Enter saves an edit only if it also sends messages', async ({ demo, signIn }) => {
  const marta = await demo.as('member')
  const page = await signIn('Marta')
  await openWith(page, demo, 'enter', 'one line')
  await edit(page, 'one line')
  await page.press('.editing textarea', 'Enter')
  assert.equal(await page.inputValue('.editing textarea'), 'one line\n')
  await page.keyboard.type('another line')
  await marta.call('updateSettings', { enter_sends: true })
  await until(async () => {
    await page.keyboard.press('Enter')
    return (await page.locator('.editing').count()) === 0
  })
  await shown(page, 'another line').waitFor()
  await marta.call('updateSettings', { enter_sends: false })
})

const stored = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('parley edit ')).length)

journey('an edit that is not saved survives a reload, but not signing out', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openWith(page, demo, 'reloaded', 'as it was')
  await edit(page, 'as it was')
  await page.fill('.editing textarea', 'half of a new te')
  await page.reload()
  await page.waitForSelector('.editing textarea')
  assert.equal(await page.inputValue('.editing textarea'), 'half of a new te')
  await page.fill('.editing textarea', 'a new text')
  await page.press('.editing textarea', 'Control+Enter')
  await shown(page, 'a new text').waitFor()
  await until(async () => (await stored(page)) === 0)
  await edit(page, 'a new text')
  await page.fill('.editing textarea', 'secret')
  assert.equal(await stored(page), 1)
  await page.goto(`${demo.url}/#settings/account`)
  await page.click('button:has-text("Sign out")')
  await page.waitForURL(/\/login/)
  assert.equal(await stored(page), 0)
})

const typedHere = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((name) => /^parley (draft|edit) /.test(name)).length)

journey('nothing that was typed stays in a browser whose session is ended from elsewhere', async ({ demo, signIn }) => {
  const page = await signIn('Jonas')
  await openWith(page, demo, 'ended elsewhere', 'as it was')
  await page.fill('#composer', 'a draft that is kept')
  await page.waitForSelector('.compose .kept')
  await edit(page, 'as it was')
  await page.fill('.editing textarea', 'a secret')
  assert.equal(await typedHere(page), 2)
  const other = await signIn('Jonas')
  const status = await other.evaluate(async () => {
    const headers = { 'Parley-Client': 'web' }
    return (await fetch('/api/v1/sessions/others', { method: 'DELETE', headers })).status
  })
  assert.equal(status, 200)
  await page.waitForURL(/\/login/)
  assert.equal(await typedHere(page), 0)
  await openTopic(other, demo, 'general', 'ended elsewhere')
  assert.equal(await other.inputValue('#composer'), 'a draft that is kept')
})

journey('who signs in next finds nothing that others typed', async ({ signIn }) => {
  const page = await signIn('Marta')
  await page.evaluate(() => localStorage.setItem('parley draft 99999 dm 1', '{}'))
  await page.reload()
  await page.waitForSelector('.app')
  assert.equal(await typedHere(page), 0)
})

journey('on a shared computer, edits are not stored', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const named = (await page.context().cookies()).find(({ name }) => name.endsWith('parley-account'))!
  await page.context().clearCookies({ name: named.name })
  await page.reload()
  await openWith(page, demo, 'shared', 'as it was')
  await edit(page, 'as it was')
  await page.fill('.editing textarea', 'only here')
  assert.equal(await stored(page), 0)
})

journey('discarding a message that was not sent can be undone', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'refused')
  await page.route('**/api/v1/messages', (route) =>
    route.fulfill({ status: 400, json: { result: 'error', msg: 'Not today', code: 'BAD_REQUEST' } }),
  )
  await send(page, 'a long text')
  const row = messageWith(page, 'a long text')
  await row.locator('button:has-text("Discard")').click()
  await row.waitFor({ state: 'detached' })
  await page.click('.toast:has-text("Message discarded.") button')
  await row.locator('text=Not today').waitFor()
  await page.unroute('**/api/v1/messages')
  await row.locator('button:has-text("Try again")').click()
  await shown(page, 'a long text').waitFor()
})

journey('losing access to a channel while typing says so, and keeps the text as a draft', async ({ demo, signIn }) => {
  const owner = await demo.as('owner')
  const [name, marta] = ['secret plans', 'member@example.com']
  await owner.call('subscribe', { subscriptions: [{ name }], principals: [marta], invite_only: true } as never)
  const page = await signIn('Marta')
  const { stream_id } = await owner.call('getChannelId', { stream: name })
  await page.goto(`${demo.url}/#narrow/channel/${stream_id}/topic/typing`)
  await page.fill('#composer', 'a long answer')
  await owner.call('unsubscribe', { subscriptions: [name], principals: [marta] } as never)
  await page.waitForSelector('h1:has-text("you don\'t have access")')
  await page.waitForSelector('a:focus:has-text("Your text is in your drafts.")')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.draft-text:has-text("a long answer")')
})
