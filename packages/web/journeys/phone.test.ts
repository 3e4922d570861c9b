import assert from 'node:assert/strict'
import { journey, openTopic, say } from './journey.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** What browsers send for it. */
function longPress(element: Element): void {
  element.dispatchEvent(new PointerEvent('contextmenu', { bubbles: true, cancelable: true, pointerType: 'touch' }))
}

journey('on a phone, the tabs lead to everything that the sidebar has', async ({ demo, signIn }) => {
  await say(demo, 'ines', 'for the phone', ['hello'])
  const page = await signIn('Marta', '#inbox', phone)

  await page.tap('.tabs a:has-text("Channels")')
  await page.locator('.phone-list .topics .item', { hasText: 'for the phone' }).locator('.pill').waitFor()
  await page.tap('.tabs a:has-text("Direct")')
  await page.locator('.list.direct .conv').first().waitFor()
  await page.tap('.tabs a:has-text("Search")')
  await page.getByRole('combobox', { name: 'Search messages' }).waitFor()
  await page.tap('.tabs a:has-text("You")')
  for (const name of ['Drafts', 'Scheduled', 'Starred', 'Mentions', 'Recent conversations', 'Settings'])
    await page.getByRole('link', { name }).waitFor()
  await page.getByRole('link', { name: 'Starred' }).tap()
  await page.tap('[aria-label=Back]')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
})

journey('on a phone, one button starts a message, and a direct one beside direct conversations', async ({ signIn }) => {
  const page = await signIn('Marta', '#inbox', phone)
  await page.tap('.write')
  await page.waitForSelector('dialog[open] [aria-pressed=true]:has-text("Channel")')
  await page.keyboard.press('Escape')
  await page.tap('.tabs a:has-text("Direct")')
  await page.tap('.write')
  await page.waitForSelector('dialog[open] [aria-pressed=true]:has-text("Direct")')
})

journey('the tabs of a phone go while its keyboard is open', async ({ signIn }) => {
  const page = await signIn('Marta', '#channels', phone)
  await page.tap('.phone-list input')
  await page.locator('.tabs').waitFor({ state: 'hidden' })
  await page.locator('.phone-list input').evaluate((field) => (field as HTMLElement).blur())
  await page.locator('.tabs').waitFor()
})

journey('between 820 and 1100 px, a rail takes the place of the sidebar', async ({ signIn }) => {
  const page = await signIn('Marta', '#inbox', { viewport: { width: 820, height: 800 } })
  const width = async () => (await page.locator('.side').boundingBox())?.width
  assert.equal(await width(), 64)
  const face = (await page.locator('.me .avatar').boundingBox())!
  assert.ok(Math.abs(face.x + face.width / 2 - 32) < 3, 'the own face stands in the middle')
  await page.locator('.side').getByRole('link', { name: 'general' }).click()
  await page.waitForSelector('.topic-list')
  await page.setViewportSize({ width: 1100, height: 800 })
  assert.equal(await width(), 268)
  await page.setViewportSize({ width: 819, height: 800 })
  await page.locator('.side').waitFor({ state: 'detached' })
})

journey(
  'a channel has the same menu by right click, by its dots, by long press and in its header',
  async ({ demo, signIn }) => {
    const page = await signIn('Marta')
    const items = async () => {
      await page.locator('[role=menuitem]').first().waitFor()
      const names = await page.locator('[role=menuitem]').allTextContents()
      await page.keyboard.press('Escape')
      return names.filter((name) => !['Mark as read', 'Move up', 'Move down'].includes(name))
    }
    const row = page.locator('.menu-item', { has: page.locator('.item', { hasText: 'kitchen' }) })
    await row.locator('.item').click({ button: 'right' })
    const names = await items()
    const ofMember = ['Members', 'Copy link', 'Pins and links', 'Channel settings', 'Leave']
    assert.deepEqual(names, ['Pin', 'Mute', 'Move to section', ...ofMember])
    await row.hover()
    await row.getByRole('button').click()
    assert.deepEqual(await items(), names)
    await row.locator('.item').evaluate(longPress)
    assert.deepEqual(await items(), names)
    await row.locator('.item').click()
    await page.locator('header').getByRole('button', { name: 'Menu of kitchen' }).click()
    assert.deepEqual(await items(), names)

    await row.locator('.item').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Pin', exact: true }).click()
    await page.locator('section[aria-label=Pinned] .item', { hasText: 'kitchen' }).waitFor()
    await openTopic(page, demo, 'general', 'hello')
    await row.locator('.item').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Leave' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.waitFor()
  },
)

journey('on a phone, the title of recent conversations is not cut off by their filter', async ({ signIn }) => {
  const page = await signIn('Marta', '#recent', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  const title = page.getByRole('heading', { name: 'Recent conversations' })
  assert.equal(await title.evaluate((one) => one.scrollWidth - one.clientWidth), 0)
})
