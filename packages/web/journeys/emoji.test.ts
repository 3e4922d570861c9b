import assert from 'node:assert/strict'
import { journey, openTopic, send } from './journey.ts'

const pickerText = '[aria-label="Search emoji"]'

journey(
  'an emoji is written and a reaction added by keyboard alone, and the picker closes',
  async ({ demo, signIn }) => {
    const page = await signIn('Marta')
    await openTopic(page, demo, 'general', 'picking')
    await page.focus('.compose [aria-label=Emoji]')
    await page.keyboard.press('Enter')
    await page.locator(pickerText).fill('ocean')
    await page.locator('.emoji-grid [aria-label=ocean]').waitFor()
    await page.keyboard.press('Enter')
    await page.locator(pickerText).waitFor({ state: 'detached' })
    assert.equal(await page.inputValue('#composer'), ':ocean: ')
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'composer')

    await send(page, 'To react to')
    const row = page.locator('article.msg:not(.pending)')
    await row.waitFor()
    await row.focus()
    await row.locator('[aria-label="Add reaction"]').focus()
    await page.keyboard.press('Enter')
    await page.locator(pickerText).fill('heart')
    await page.locator('.emoji-grid [aria-label=heart]').waitFor()
    await page.keyboard.press('Enter')
    await page.locator(pickerText).waitFor({ state: 'detached' })
    await row.locator('.react', { hasText: '❤️' }).waitFor()
    assert.equal(await row.locator('.react').count(), 1)
  },
)

journey('the picker stands at its button, has groups, what was used last, and skin tones', async ({ demo, signIn }) => {
  const page = await signIn('Priya')
  await openTopic(page, demo, 'general', 'groups')
  const button = page.locator('.compose [aria-label=Emoji]')
  await button.click()
  const picker = page.getByRole('dialog', { name: 'Pick an emoji' })
  const [box, anchor] = [(await picker.boundingBox())!, (await button.boundingBox())!]
  assert.ok(Math.abs(box.x - anchor.x) < 2 && Math.abs(box.y + box.height - anchor.y) < 8)
  await picker.getByRole('tab', { name: 'People' }).click()
  await picker.getByRole('button', { name: 'Medium skin tone', exact: true }).click()
  await picker.getByRole('button', { name: 'wave', exact: true }).click()
  await picker.waitFor({ state: 'detached' })
  assert.equal(await page.inputValue('#composer'), '👋🏽 ')

  await button.click()
  await page.keyboard.press('ArrowDown')
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'wave')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Shift+Enter')
  assert.equal(await page.inputValue('#composer'), '👋🏽 👍🏽 ')
  await page.keyboard.press('Escape')
  await picker.waitFor({ state: 'detached' })
})
