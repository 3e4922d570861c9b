import assert from 'node:assert/strict'
import { until } from '../../../server/src/testing/until.ts'
import { type Demo, journey } from '../journey.ts'

/** More topics than one page has, each with one message. */
async function writeTopics(demo: Demo, count: number): Promise<void> {
  const ben = await demo.as('moderator')
  for (let number = 1; number <= count; number++)
    await ben.call('sendMessage', {
      type: 'stream',
      to: 'general',
      topic: `topic ${number}`,
      content: `text ${number}`,
    })
}

journey('recent conversations are complete, live, and filtered', async ({ demo, signIn }) => {
  await writeTopics(demo, 60)
  const page = await signIn('Marta', '#recent')
  const titles = page.locator('.recent .conv .title b')
  await page.waitForSelector('.recent .conv:has-text("topic 60")')
  assert.equal(await titles.first().textContent(), 'topic 60')

  const ben = await demo.as('moderator')
  await ben.call('sendMessage', { type: 'stream', to: 'general', topic: 'topic 7', content: 'news' })
  await page.waitForFunction(() => document.querySelector('.recent .conv .title b')?.textContent === 'topic 7')

  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.waitForFunction(() => document.activeElement?.textContent?.includes('topic 60'))
  await until(async () => {
    await page.keyboard.press('End') // loads more
    return page.locator('.recent-end', { hasText: 'That is everything.' }).isVisible()
  })

  await page.fill('[aria-label="Filter conversations"]', 'topic 1')
  await page.waitForFunction(() => document.querySelectorAll('.recent .conv').length >= 5)
  await page.fill('[aria-label="Filter conversations"]', '')
  await page.click('.recent .seg button:has-text("Followed")')
  await page.waitForSelector('.recent .empty, .recent .conv')
  await page.click('.recent .seg button:has-text("Unread")')
  await page.click('.recent .conv:has-text("topic 59")')
  await page.waitForSelector('#composer[placeholder*="topic 59"]')
})
