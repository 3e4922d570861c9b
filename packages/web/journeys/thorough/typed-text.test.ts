import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../../../server/src/testing/until.ts'
import { type Demo, journey, openTopic, send } from '../journey.ts'

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
