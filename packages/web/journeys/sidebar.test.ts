import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { journey, say } from './journey.ts'

const section = (page: Page, name: string) =>
  page.locator('.side section').filter({ has: page.locator('h2', { hasText: name }) })
const channels = (page: Page, name: string) => section(page, name).locator('[data-channel] > .item > .name')

journey(
  'the filter of the sidebar finds channels, topics and people, and opens the first by Enter',
  async ({ demo, signIn }) => {
    await say(demo, 'ines', 'zebra crossing', ['hello'])
    const page = await signIn('Marta')
    const field = page.getByRole('searchbox', { name: 'Filter channels, topics and people' })
    await field.fill('jon')
    await section(page, 'People').locator('.item', { hasText: 'Jonas' }).waitFor()
    await field.fill('zeb')
    await section(page, 'Topics').locator('.item', { hasText: 'zebra crossing' }).waitFor()
    await field.press('Enter')
    await page.waitForSelector('h1:has-text("zebra crossing")')
    assert.equal(await field.inputValue(), '')
    await field.fill('zzzz')
    await page.locator('.side [role=status]', { hasText: 'Nothing found' }).waitFor()
    await field.press('Escape')
    await page.locator('.side .item', { hasText: 'Inbox' }).waitFor()
  },
)

journey(
  '"Unread only" shows unread topics under their channels, and says how many channels it hides',
  async ({ demo, signIn }) => {
    await say(demo, 'ines', 'only this', ['hello'])
    const page = await signIn('Marta')
    await page.getByRole('button', { name: 'Unread only' }).click()
    await page.locator('.side .topics .item', { hasText: 'only this' }).waitFor()
    await page.locator('.side .item', { hasText: 'Recent' }).waitFor({ state: 'detached' })
    await page
      .locator('.menu-item', { has: page.locator('.item', { hasText: 'kitchen' }) })
      .first()
      .locator('.item')
      .click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Mark as read' }).click()
    await page.getByRole('button', { name: '1 quiet channel hidden' }).click()
    await page.locator('.side .item', { hasText: 'Recent' }).waitFor()
  },
)

journey('a folded section shows the sum of what is unread in it, and stays folded', async ({ demo, signIn }) => {
  await say(demo, 'ines', 'folded', ['hello'])
  const page = await signIn('Marta')
  await page.locator('.fold', { hasText: 'Channels' }).click()
  await section(page, 'Channels').locator('h2 .pill').waitFor()
  assert.equal(await channels(page, 'Channels').count(), 0)
  await page.reload()
  await section(page, 'Channels').locator('h2 .pill').waitFor()
  await page.locator('.fold', { hasText: 'Channels' }).click()
  await channels(page, 'Channels').first().waitFor()
})

journey(
  'channels are moved into own sections by menu and by dragging, on all devices, and back',
  async ({ signIn }) => {
    const page = await signIn('Jonas')
    const menu = async (name: string, item: string) => {
      await page.locator('[data-channel]', { hasText: name }).locator('.item').click({ button: 'right' })
      await page.getByRole('menuitem', { name: item }).click()
    }
    await menu('kitchen', 'Move to section')
    await page.locator('dialog').getByRole('textbox', { name: 'New section' }).fill('This week')
    await page.locator('dialog').getByRole('button', { name: 'Move' }).click()
    await channels(page, 'This week').filter({ hasText: 'kitchen' }).waitFor()

    const other = await signIn('Jonas')
    await channels(other, 'This week').filter({ hasText: 'kitchen' }).waitFor()

    const general = page.locator('[data-channel]', { hasText: 'general' })
    await general
      .locator('.item')
      .dragTo(page.locator('[data-channel]', { hasText: 'kitchen' }), { targetPosition: { x: 60, y: 4 } })
    await channels(page, 'This week').filter({ hasText: 'general' }).waitFor()
    assert.deepEqual(await channels(page, 'This week').allTextContents(), ['general', 'kitchen'])
    await menu('general', 'Move down')
    await page.locator('[data-channel]:has-text("kitchen") + [data-channel]:has-text("general")').waitFor()

    await page.getByRole('button', { name: 'Menu of This week' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await section(page, 'This week').waitFor({ state: 'detached' })
    await channels(page, 'Channels').filter({ hasText: 'kitchen' }).waitFor()
    await page.locator('.toast button').click()
    await channels(page, 'This week').filter({ hasText: 'kitchen' }).waitFor()
  },
)
