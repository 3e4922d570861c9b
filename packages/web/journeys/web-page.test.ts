import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { journey, messageWith, openTopic, say, send } from './journey.ts'
import { beginToWheel } from './long-topic.ts'

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

/** Pastes into the composer what another program copied. */
function paste(page: Page, data: Record<string, string>): Promise<void> {
  return page.locator('#composer').evaluate((field, formats) => {
    const clipboardData = new DataTransfer()
    for (const [format, text] of Object.entries(formats)) clipboardData.setData(format, text)
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, data)
}

journey('copied messages are text with markup, with the names of their senders', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'copying', ['The **bold** one, $$x^2$$', '* one\n* two'])
  const page = await signIn('Marta')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openTopic(page, demo, 'general', 'copying')
  await messageWith(page, 'two').waitFor()
  await page.waitForFunction(() => {
    const texts = [...document.querySelectorAll('article.msg .text')]
    document.getSelection()!.setBaseAndExtent(texts[0]!, 0, texts[1]!, texts[1]!.childNodes.length)
    return !document.dispatchEvent(
      new ClipboardEvent('copy', { clipboardData: new DataTransfer(), bubbles: true, cancelable: true }),
    )
  })
  await page.evaluate(() => document.execCommand('copy'))
  assert.match(
    await copied(page),
    /^Amir, \S+( [AP]M)?:\nThe \*\*bold\*\* one, \$\$x\^2\$\$\n\nAmir, .+:\n\* one\n\* two$/,
  )
})

journey('a URL pasted over words makes them a link, and formatted text becomes markup', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'pasting')
  await page.fill('#composer', 'see words')
  await page.locator('#composer').evaluate((field) => (field as HTMLTextAreaElement).setSelectionRange(4, 9))
  await paste(page, { 'text/plain': 'https://example.com/x' })
  assert.equal(await page.inputValue('#composer'), 'see [words](https://example.com/x)')
  await page.fill('#composer', '')
  await paste(page, {
    'text/plain': 'plain',
    'text/html': '<h2>Plan</h2><p>A <b>bold</b> word</p><ul><li>one</li></ul>',
  })
  await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('#composer')!.value !== '')
  assert.equal(await page.inputValue('#composer'), '## Plan\n\nA **bold** word\n\n* one')
  await page.fill('#composer', '')
  await paste(page, { 'text/plain': 'a  b', 'text/html': '<span style="color: red">a b</span>' })
  await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('#composer')!.value !== '')
  assert.equal(await page.inputValue('#composer'), 'a  b')
})

journey('Ctrl F searches in the conversation, also while one writes', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'finding')
  await page.press('#composer', 'Control+f')
  await page.locator('dialog[open] .chip', { hasText: 'finding' }).waitFor()
})

journey('results of a search open at the newest, with their words marked, and stay unread', async (context) => {
  const { demo, signIn } = context
  await say(
    demo,
    'admin',
    'harbour',
    Array.from({ length: 60 }, (_, n) => `The pontoon, part ${n}`),
  )
  const page = await signIn('Marta', '#narrow/search/pontoon')
  await messageWith(page, 'part 59').waitFor()
  await page.waitForFunction(() => (CSS.highlights.get('found')?.size ?? 0) > 3)
  const flags: string[] = []
  page.on('request', (request) => request.url().includes('/messages/flags') && flags.push(request.url()))
  await page.mouse.move(700, 400)
  await page.mouse.wheel(0, -600)
  await page.evaluate(() => new Promise((done) => setTimeout(done, 1500))) // three times what reading takes
  assert.deepEqual(flags, [])
  assert.equal(await page.locator('article.msg:not(.is-unread)').count(), 0)
})

journey('pictures open here, one after the other, and can be enlarged and downloaded', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'pictures')
  const png = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } })
  for (const name of ['first.png', 'second.png']) {
    await page.locator('.compose input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer: png })
    await page.locator('.upload:not(:has(progress))', { hasText: name }).waitFor()
    await send(page, await page.inputValue('#composer'))
    await page
      .locator('article.msg:not(.pending) img')
      .nth(name === 'first.png' ? 0 : 1)
      .waitFor()
  }
  await page.locator('article.msg a:has(> img)').first().click()
  const box = page.locator('dialog.lightbox')
  await box.locator('h2', { hasText: 'first.png' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await box.locator('h2', { hasText: 'second.png' }).waitFor()
  assert.equal(await box.locator('[aria-label="Next image"]').isDisabled(), true)
  await page.keyboard.press('z')
  await box.locator('[aria-label=Zoom][aria-pressed=true]').waitFor()
  assert.equal(await box.locator('a[download]').getAttribute('download'), 'second.png')
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
})

const manyLines = Array.from({ length: 60 }, (_, n) => `Line ${n} of the log`)

/** The first row in view, and how far below the edge it stands. */
const topRow = (page: Page) =>
  page.evaluate(() => {
    const edge = document.querySelector('.feed-list')!.getBoundingClientRect().top
    for (const row of document.querySelectorAll('article.msg')) {
      const { top } = row.getBoundingClientRect()
      if (top >= edge) return `${row.querySelector('.text')!.textContent} ${Math.round(top - edge)}`
    }
    return undefined
  })

journey('Back, and reloading, return to the place where one was reading', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'places', manyLines)
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'places')
  await messageWith(page, 'Line 3 of').waitFor()
  await beginToWheel(page)
  await page.mouse.wheel(0, 517)
  await page.waitForFunction(() => {
    const { place } = (history.state ?? {}) as { place?: { id: number; top: number } }
    const row = document.querySelector(`[data-message-id="${place?.id}"]`)
    const list = document.querySelector('.feed-list')!
    const isHere = row && Math.abs(row.getBoundingClientRect().top - list.getBoundingClientRect().top - place!.top) < 2
    return list.scrollTop > 500 && isHere
  })
  const before = await topRow(page)
  await page.click('.side a[href="#inbox"]')
  await page.waitForSelector('.inbox')
  await page.goBack()
  await page.locator('.feed-list').waitFor()
  await page.waitForFunction(() => document.querySelector('.feed-list')!.scrollTop > 300)
  assert.equal(await topRow(page), before)
  await page.reload()
  await page.locator('.feed-list').waitFor()
  await page.waitForFunction(() => document.querySelector('.feed-list')!.scrollTop > 300)
  assert.equal(await topRow(page), before)
})

journey('a list that assistive technology scrolls is not thrown back', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'scrolled', manyLines)
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'scrolled')
  await messageWith(page, 'Line 3 of').waitFor()
  // Such technology sets the position again and again, and the page receives no input.
  await page.waitForFunction(
    () => {
      const list = document.querySelector('.feed-list')!
      list.scrollTop += 40
      return list.scrollTop > 600
    },
    undefined,
    { polling: 100 },
  )
  const place = () => page.evaluate(() => document.querySelector('.feed-list')!.scrollTop)
  const before = await place()
  const resized = page.evaluate(() => new Promise((done) => window.addEventListener('resize', done, { once: true })))
  await page.setViewportSize({ width: 1280, height: 700 })
  await resized
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  assert.equal(await place(), before)
})

journey('rows of the inbox and times are links', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'linked times', ['At this time'])
  const page = await signIn('Marta')
  const row = page.locator('.conv', { hasText: 'linked times' }).locator('a.conv-open')
  const [tab] = await Promise.all([page.context().waitForEvent('page'), row.click({ modifiers: ['Control'] })])
  const time = messageWith(tab, 'At this time').locator('time a')
  const id = await messageWith(tab, 'At this time').getAttribute('data-message-id')
  assert.match((await time.getAttribute('href'))!, new RegExp(`/near/${id}$`))
  await time.click()
  await tab.locator('article.msg.linked', { hasText: 'At this time' }).waitFor()
})

journey('printing prints the messages, all of them, and nothing around them', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'printing', manyLines)
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'printing')
  await messageWith(page, 'Line 3 of').waitFor()
  await page.emulateMedia({ media: 'print' })
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  assert.equal(await page.locator('.printed article.msg:visible').count(), manyLines.length)
  for (const around of ['.side', '.compose', '.feed-list']) assert.ok(await page.locator(around).isHidden())
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  assert.ok(height > 60 * 24, `${height}`)
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
  await page.locator('.printed').waitFor({ state: 'detached' })
})

journey('a link that is followed while the client opens is not undone', async ({ signIn }) => {
  const page = await signIn('Marta')
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('.app')) return
      observer.disconnect()
      window.location.hash = '#recent'
    }).observe(document, { childList: true, subtree: true })
  })
  await page.reload()
  await page.getByRole('heading', { name: 'Recent conversations' }).waitFor()
  assert.equal(new URL(page.url()).hash, '#recent')
})
