import assert from 'node:assert/strict'
import { until } from '../../server/src/testing/until.ts'
import { journey, messageWith, openTopic, say, send } from './journey.ts'
import { beginToWheel, fillWithPictures, wheelBack } from './long-topic.ts'

journey('an action is one line with the name of its sender, in the list and in the inbox', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'acting', ['/me looks for the **keys**'])
  const page = await signIn('Marta')
  await page.locator('.conv p', { hasText: /^Amir looks for the keys$/ }).waitFor()
  await openTopic(page, demo, 'general', 'acting')
  const action = messageWith(page, 'looks for')
  const [name, words] = [action.locator('.person-name'), action.locator('.text strong')]
  assert.equal(await action.locator('.text').textContent(), 'looks for the keys')
  assert.ok(Math.abs((await name.boundingBox())!.y - (await words.boundingBox())!.y) < 3)
})

journey('"edited" stands behind the text and opens the history; so does the star', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'marks')
  await send(page, 'First')
  await send(page, 'Secnod')
  const row = page.locator('article.msg:not(.pending)', { hasText: /Sec/ })
  await row.hover()
  await row.locator('[aria-label=Star]').click()
  await row.locator('[aria-label=More]').click()
  await page.click('[role=menuitem]:has-text("Edit")')
  await page.fill('[aria-label="Edit message"]', 'Second')
  await page.press('[aria-label="Edit message"]', 'Control+Enter')
  const text = (await row.locator('.text').boundingBox())!
  for (const mark of ['.edited', '.starred']) {
    const { x, y, height } = (await row.locator(`.text p ${mark}`).boundingBox())!
    assert.ok(x < text.x + 200 && y >= text.y && y + height <= text.y + text.height)
  }
  await row.locator('.edited').click()
  await page.locator('dialog .versions', { hasText: 'Secnod' }).waitFor()
})

journey('a button leads to the newest message and says how many are new below', async ({ demo, signIn }) => {
  const lines = Array.from({ length: 80 }, (_, n) => `Line ${n} of many`)
  await say(demo, 'admin', 'far above', lines)
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'far above')
  const toNewest = page.locator('.to-end')
  await toNewest.filter({ hasText: /^\d\d new$/ }).click()
  await page.locator('article.msg:not(.is-unread)', { hasText: 'Line 79 of many' }).waitFor()
  await toNewest.waitFor({ state: 'detached' })
  await page.mouse.move(700, 400)
  // Steps that come while the list still scrolls to its end may be lost on a busy machine.
  await until(async () => {
    await page.mouse.wheel(0, -500)
    return toNewest.filter({ hasText: 'Jump to the newest message' }).isVisible()
  })
  await say(demo, 'admin', 'far above', ['Arrived below'])
  await toNewest.filter({ hasText: /^1 new$/ }).waitFor()
  await page.locator('.feed-list').hover()
  await page.press('body', 'End')
  await page.waitForFunction(() => document.activeElement?.textContent?.includes('Arrived below'))
  await toNewest.waitFor({ state: 'detached' })
})

journey(
  'emoji alone are larger, custom ones have the size of the others, and a typed heart is in colour',
  async ({ demo, signIn }) => {
    await say(demo, 'admin', 'emoji sizes', [':heart:', 'Two :heart: words', '❤ ☎', '100 © 2026 →'])
    const page = await signIn('Marta')
    await openTopic(page, demo, 'general', 'emoji sizes')
    const emoji = page.locator('.text .emoji')
    await emoji.nth(3).waitFor()
    const sizes = await emoji.evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)))
    assert.equal(sizes.length, 4)
    assert.ok(sizes[0]! > sizes[1]! * 1.5)
    assert.equal(sizes[2], sizes[0])
    assert.deepEqual((await emoji.allTextContents()).slice(2), ['❤️', '☎️'])
  },
)

journey(
  'a picture that cannot be loaded leaves its link, and an uploaded sound has a player',
  async ({ demo, signIn }) => {
    const url = 'https://images.example.com/cat.png'
    const talk = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
    await say(demo, 'admin', 'media', [`Look: ${url}`, `Hear: ${talk}`, '[bell.wav](/user_uploads/1/bell.wav)'])
    const page = await signIn('Marta')
    await openTopic(page, demo, 'general', 'media')
    for (const link of [url, talk]) await page.locator(`.text a[href="${link}"]:has-text("${link}")`).waitFor()
    await page.locator('.text img').first().waitFor({ state: 'detached' })
    assert.equal(await page.locator('.text img').count(), 0)
    assert.equal((await page.locator('.text audio').boundingBox())!.height, 54)
  },
)

journey('code is copied with one click', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'copying', ['```python\nprint(1)\nprint(2)\n```'])
  const page = await signIn('Marta')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openTopic(page, demo, 'general', 'copying')
  await page.locator('.codehilite').hover()
  await page.click('.codehilite button:has-text("Copy")')
  await page.waitForSelector('.copy-code:has-text("Copied")')
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'print(1)\nprint(2)')
})

journey('wheeling back moves the messages by what was asked, also where there are pictures', async (context) => {
  const { demo, signIn } = context
  const page = await signIn('Marta', await fillWithPictures(demo, 'wheel', 300))
  await messageWith(page, 'line 300').waitFor()
  await beginToWheel(page)
  for (let n = 0; n < 25; n++) assert.equal(await wheelBack(page), 0, `pixels in step ${n}`)
})
