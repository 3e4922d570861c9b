import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { journey, messageWith, openTopic, say, send } from './journey.ts'

const heightOf = async (page: Page, text: string) =>
  (await messageWith(page, text).locator('xpath=..').boundingBox())!.height

journey('short messages of one sender stand 26 px apart, also with the 12-hour clock', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'short', ['First line', 'Second line', 'Third line', 'Fourth line'])
  const page = await signIn('Marta')
  await (await demo.as('member')).call('updateSettings', { twenty_four_hour_time: false })
  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport)
    await openTopic(page, demo, 'general', 'short')
    assert.equal(await heightOf(page, 'Second line'), 26)
    assert.equal(await heightOf(page, 'Third line'), 26)
    assert.match((await page.locator('.gut time').first().textContent())!, /^\d+:\d+$/)
  }
})

journey('the focus stays in the composer when Send is clicked', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'focus')
  for (const text of ['One', 'Two']) {
    await page.locator('#composer').pressSequentially(text)
    await page.click('.compose [aria-label=Send]')
    await messageWith(page, text).waitFor()
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'composer')
  }
  await page.fill('#composer', 'Three')
  await page.click('.compose [aria-label=Preview]')
  await page.click('.compose [aria-label=Send]')
  await page.waitForFunction(() => document.activeElement?.id === 'composer')
})

journey('the composer and the editor grow with lines that wrap, up to a limit', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'growing')
  const heightWith = async (text: string, field = '#composer') => {
    await page.fill(field, text)
    return page.locator(field).evaluate((area) => ({ height: area.clientHeight, text: area.scrollHeight }))
  }
  const empty = await heightWith('')
  const paragraph = await heightWith('A paragraph that needs several lines. '.repeat(20))
  assert.ok(paragraph.height >= paragraph.text, 'nothing of it is hidden')
  assert.ok(paragraph.height > empty.height * 2)
  const page800 = await heightWith('A text that needs a page. '.repeat(300))
  assert.ok(page800.height <= 860 / 2 && page800.height < page800.text)
  await send(page, 'A message that needs several lines. '.repeat(20))
  await page.press('#composer', 'Escape')
  const row = page.locator('article.msg:not(.pending)')
  await row.hover()
  await row.locator('[aria-label=More]').click()
  await page.click('[role=menuitem]:has-text("Edit")')
  const editor = await page
    .locator('[aria-label="Edit message"]')
    .evaluate((area) => ({ height: area.clientHeight, text: area.scrollHeight }))
  assert.ok(editor.height >= editor.text)
})

journey('a deleted message becomes one line, from which the deletion is undone', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'collapsing')
  await page.clock.install()
  await send(page, 'Several\nlines\nof text')
  const row = page.locator('article.msg:not(.pending)')
  const { height } = (await row.boundingBox())!
  await row.hover()
  await row.locator('[aria-label=More]').click()
  await page.click('[role=menuitem]:has-text("Delete")')
  await row.locator('text=Message deleted.').waitFor()
  assert.equal(await row.locator('text=of text').count(), 0)
  assert.ok((await row.boundingBox())!.height < height - 40)
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Undo')
  await page.keyboard.press('Enter')
  await row.locator('text=of text').waitFor()
  await page.clock.fastForward(10_000)
  await row.locator('text=of text').waitFor()
})

journey('what a user sends is brought into view, wherever they were reading', async ({ demo, signIn }) => {
  const texts = Array.from({ length: 90 }, (_, n) => `Line ${n} of a long conversation`)
  await say(demo, 'admin', 'long', texts)
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'long')
  const isInView = (text: string) =>
    messageWith(page, text).evaluate((row) => {
      const { top, bottom } = row.getBoundingClientRect()
      const list = row.closest('.feed-list')!.getBoundingClientRect()
      return top >= list.top - 1 && bottom <= list.bottom + 1
    })
  const scrollUp = async () => {
    await page.mouse.move(700, 400)
    for (let n = 0; n < 12; n++) await page.mouse.wheel(0, -600)
    await messageWith(page, 'Line 3 of').waitFor()
  }
  await page.locator('#composer').click()
  await scrollUp()
  await send(page, 'Sent from far above')
  await messageWith(page, 'Sent from far above').waitFor()
  await page.waitForTimeout(300)
  assert.ok(await isInView('Sent from far above'))

  // Opened at a message, of which the window does not have the newest.
  const { messages } = await (await demo.as('member')).call('getMessages', {
    anchor: 'oldest',
    num_before: 0,
    num_after: 2,
    narrow: [{ operator: 'topic', operand: 'long' }],
  } as never)
  await say(
    demo,
    'admin',
    'long',
    Array.from({ length: 80 }, (_, n) => `More ${n}`),
  )
  await page.reload()
  await page.evaluate((id) => (window.location.hash += `/near/${id}`), messages[0]!.id)
  await messageWith(page, 'Line 0 of').waitFor()
  await send(page, 'Sent beside an old message')
  await messageWith(page, 'Sent beside an old message').waitFor()
  await page.waitForTimeout(300)
  assert.ok(await isInView('Sent beside an old message'))
  assert.equal(await messageWith(page, 'Sent beside an old message').count(), 1)
})

journey('users who stay active are shown as active', async ({ demo, signIn }) => {
  const amir = await demo.as('admin')
  const ping = () => amir.call('updatePresence', { status: 'active', ping_only: true })
  await ping()
  const { user_id } = await amir.call('getOwnUser', {} as never)
  const page = await signIn('Marta', `#narrow/dm/${user_id}`)
  const dot = page.locator(`.side a[href*="dm/${user_id}"] .dot`)
  await page.locator('.side').waitFor()
  await send(page, 'Are you there?')
  await page.clock.install()
  await page.reload()
  await dot.and(page.locator('.on')).waitFor()
  // Four minutes pass for everything that was seen so far, and Amir is still active.
  await demo.sql(`update presence set last_active_time = last_active_time - interval '4 minutes',
                                      last_connected_time = last_connected_time - interval '4 minutes'`)
  await ping()
  const answered = page.waitForResponse(/presence/)
  await page.clock.fastForward(4 * 60_000)
  await answered
  await send(page, 'Still there?')
  await messageWith(page, 'Still there?').waitFor()
  await dot.and(page.locator('.on')).waitFor()
})

journey('a text that is too long for a message says so and is kept until it is shorter', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'too long')
  const warning = page.locator('.compose .warning', { hasText: 'at most 10,000' })
  await page.fill('#composer', 'y'.repeat(10_003))
  await warning.filter({ hasText: '3 characters too long' }).waitFor()
  assert.ok(await page.locator('.compose [aria-label=Send]').isDisabled())
  await page.press('#composer', 'Control+Enter')
  await page.reload()
  await warning.waitFor()
  assert.equal((await page.inputValue('#composer')).length, 10_003)
  await send(page, '🌊'.repeat(100) + 'z'.repeat(9900))
  await page.locator('article.msg:not(.pending)').waitFor()
  assert.equal(
    await page
      .locator('.msg .text')
      .textContent()
      .then((text) => [...text!].length),
    10_000,
  )

  // A short one: the page scrolls to the buttons of a long one, and scrolling closes menus.
  await send(page, 'short')
  const short = page.locator('article.msg:not(.pending)', { hasText: 'short' })
  await short.hover()
  await short.locator('[aria-label=More]').click()
  await page.click('[role=menuitem]:has-text("Edit")')
  await page.fill('[aria-label="Edit message"]', 'z'.repeat(10_001))
  await page.locator('.editing .warning', { hasText: '1 character too long' }).waitFor()
  assert.ok(await page.locator('.editing button:has-text("Save")').isDisabled())
})
