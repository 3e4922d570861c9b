import assert from 'node:assert/strict'
import { journey, messageWith, openTopic, send } from './journey.ts'

journey('what is written while the server is down is sent exactly once', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'interrupted')
  await send(page, 'before the crash')
  await page.locator('article.msg:not(.pending)', { hasText: 'before the crash' }).waitFor()
  await demo.kill()
  await page.waitForSelector('.offline')
  for (const text of ['offline one', 'offline two', 'offline three']) await send(page, text)
  await page.waitForSelector('.offline:has-text("3 messages waiting")')
  await demo.restart()
  await page.waitForSelector('.offline', { state: 'detached', timeout: 60_000 })
  await page.locator('article.msg:not(.pending)').nth(3).waitFor()
  for (const text of ['one', 'two', 'three']) assert.equal(await messageWith(page, `offline ${text}`).count(), 1)

  const { messages } = await (await demo.as('member')).call('getMessages', {
    narrow: [{ operator: 'topic', operand: 'interrupted' }],
    anchor: 'newest' as never,
    num_before: 20,
    num_after: 0,
  })
  assert.equal(messages.length, 4)
})
