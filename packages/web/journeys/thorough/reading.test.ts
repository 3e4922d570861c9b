import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../../../server/src/testing/until.ts'
import { type Demo, journey, messageWith, openTopic, send } from '../journey.ts'

const messageCount = Number(process.env.SCROLL_MESSAGES ?? 500)

/** A topic with many messages of different heights. Returns the link to its newest message. */
async function fillTopic(demo: Demo, count = messageCount): Promise<string> {
  const ines = await demo.as('ines')
  const { id } = await ines.call('sendMessage', { type: 'stream', to: 'general', topic: 'long', content: 'The oldest' })
  await demo.sql(
    `with counted as (update realm_counters c set last_message = last_message + $2
                       where realm_id = (select realm_id from users where email = 'ines@example.com')
                   returning last_message - $2 as before)
     insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content, rendered_content)
     select realm_id, before + n, recipient_id, channel_id, topic_id, sender_id, now(), 'x', 'line ' || n,
            repeat('<p>line ' || n || '</p>', 1 + (n % 7)::integer)
       from messages, counted, generate_series(1, $2) n where id = $1`,
    [id, count],
  )
  const { stream_id } = await ines.call('getChannelId', { stream: 'general' })
  return `#narrow/channel/${stream_id}-general/topic/long/near/${id + count}`
}

/** The row in the middle of the feed: its message, its place among those loaded, and its place on the screen. */
const middleRow = `(() => {
  const feed = document.querySelector('.feed-list').getBoundingClientRect()
  const isMiddle = (row) => row.getBoundingClientRect().bottom > feed.top + feed.height / 2
  const row = [...document.querySelectorAll('article.msg')].find(isMiddle)
  return { id: row.dataset.messageId, place: Number(row.ariaPosInSet), top: row.getBoundingClientRect().top }
})()`

const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))'

interface Middle {
  id: string
  place: number
  top: number
}

/** The row in the middle, once rows that were shown for the first time have their heights. */
async function settledMiddle(page: Page): Promise<Middle> {
  for (let seen = ''; ; ) {
    await page.evaluate(twoFrames)
    const middle = (await page.evaluate(middleRow)) as Middle
    if (JSON.stringify(middle) === seen) return middle
    seen = JSON.stringify(middle)
  }
}

/** Scrolls near the start, so that older messages are loaded. Returns how far the row in the middle moved by that. */
async function loadOlder(page: Page): Promise<number> {
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/v1/messages?*', (route) => isReleased.then(() => route.continue()))
  await page.evaluate(`document.querySelector('.feed-list').scrollTop = 600`)
  const before = await settledMiddle(page)
  release()
  const row = `document.querySelector('[data-message-id="${before.id}"]')`
  await page.waitForSelector(`[data-message-id="${before.id}"]:not([aria-posinset="${before.place}"])`)
  await page.evaluate(twoFrames)
  await page.unroute('**/api/v1/messages?*')
  return Number(await page.evaluate(`${row}.getBoundingClientRect().top`)) - before.top
}

journey('nothing moves while older messages are loaded or new ones arrive', async ({ demo, signIn }) => {
  const page = await signIn('Marta', await fillTopic(demo))
  await messageWith(page, `line ${messageCount}`).first().waitFor()
  await page.mouse.move(640, 400)
  await page.mouse.wheel(0, -10) // until then the list stays where it was opened
  for (let loaded = 60; loaded < messageCount; loaded += 100) {
    const moved = await loadOlder(page)
    assert.ok(Math.abs(moved) < 0.5, `moved by ${moved} pixels after ${loaded} messages`)
  }
  await until(async () => {
    await page.evaluate(`document.querySelector('.feed-list').scrollTop = 0`)
    return messageWith(page, 'The oldest').isVisible()
  })
  await settledMiddle(page)

  const before = (await page.evaluate(middleRow)) as Middle
  await (await demo.as('jonas')).call('sendMessage', {
    type: 'stream',
    to: 'general',
    topic: 'long',
    content: 'New',
  })
  await until(async () => (await page.title()).includes('('))
  assert.deepEqual(await page.evaluate(middleRow), before)
  const nodes = Number(await page.evaluate(`document.querySelectorAll('*').length`))
  assert.ok(nodes < 3000, `${nodes} elements`)
})

journey('the end stays in view while polls grow and the composer takes space', async ({ demo, signIn }) => {
  const [amir, marta] = [await demo.as('admin'), await demo.as('member')]
  const topic = { type: 'stream', to: 'general', topic: 'votes' } as const
  const options = Array.from({ length: 12 }, (_, index) => `option ${index}`).join('\n')
  for (const content of [`/poll One?\n${options}`, `/poll Two?\n${options}`, 'The end'])
    await amir.call('sendMessage', { ...topic, content })
  await marta.call('markAllAsRead')
  const page = await signIn('Marta', '#recent')
  await openTopic(page, demo, 'general', 'votes')
  const gap = `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('.feed-list'))`
  const isAtEnd = async () => Math.abs(Number(await page.evaluate(gap))) <= 1
  await page.waitForSelector('.poll li')
  await until(isAtEnd)
  await page.fill('#composer', 'a\nb\nc\nd\ne\nf')
  await until(isAtEnd)
  await page.evaluate(twoFrames)
  assert.ok(await isAtEnd())
})

journey('the first unread message stays in view while a poll above it grows', async ({ demo, signIn }) => {
  const [amir, marta] = [await demo.as('admin'), await demo.as('member')]
  const topic = { type: 'stream', to: 'general', topic: 'one vote' } as const
  const options = Array.from({ length: 12 }, (_, index) => `option ${index}`).join('\n')
  for (const content of ['Before', `/poll One?\n${options}`]) await amir.call('sendMessage', { ...topic, content })
  await marta.call('markAllAsRead')
  await amir.call('sendMessage', { ...topic, content: 'The unread one' })
  const page = await signIn('Marta', '#recent')
  await page.route('**/api/v1/messages/flags', () => {}) // it stays unread
  await openTopic(page, demo, 'general', 'one vote')
  await page.waitForSelector('.poll li')
  const isInView = `(() => {
    const row = [...document.querySelectorAll('article.msg')].find((one) => one.textContent.includes('The unread one'))
    return row?.getBoundingClientRect().bottom <= document.querySelector('.feed-list').getBoundingClientRect().bottom
  })()`
  await until(async () => (await page.evaluate(isInView)) === true)
  await page.evaluate(twoFrames)
  assert.equal(await page.evaluate(isInView), true)
})

journey('a move of many messages shows how far it is', async ({ demo, signIn }) => {
  await (await demo.as('owner')).call('sendMessage', {
    type: 'stream',
    to: 'general',
    topic: 'target',
    content: 'Was here before',
  })
  const page = await signIn('Olivia', await fillTopic(demo, 2500))
  await page.click('header [aria-label="Topic actions"]')
  await page.click('[role=menuitem]:has-text("Rename")')
  await page.fill('dialog [aria-label=Topic]', 'target')
  await page.click('dialog button:has-text("Rename")')
  await page.locator('.toast', { hasText: /of [\d,]+ messages moved/ }).waitFor()
  await page.waitForSelector('.toast:has-text("renamed")')
  const { messages } = await (await demo.as('member')).call('getMessages', {
    narrow: [{ operator: 'topic', operand: 'long' }],
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
  })
  assert.deepEqual(messages, [])
})

journey('a message is read once its end was visible', async ({ demo, signIn }) => {
  const [amir, marta] = [await demo.as('admin'), await demo.as('member')]
  await marta.call('markAllAsRead')
  for (const name of ['first', 'second', 'third'])
    await amir.call('sendMessage', { type: 'stream', to: 'general', topic: 'tall', content: `${name}\n`.repeat(18) })
  const unread = async () => {
    const narrow = [{ operator: 'is', operand: 'unread' }]
    const { messages } = await marta.call('getMessages', { narrow, anchor: 'newest', num_before: 9, num_after: 0 })
    return messages.map(({ content }) => /\w{3,}/.exec(content)?.[0])
  }
  const page = await signIn('Marta', '#recent')
  await openTopic(page, demo, 'general', 'tall')
  await messageWith(page, 'second').waitFor()
  await until(async () => !(await unread()).includes('first'))
  assert.deepEqual(await unread(), ['second', 'third'])
  await page.keyboard.press('End')
  await until(async () => (await unread()).length === 0)
})

journey('the inbox is grouped by channel, and everything in it is marked as read and back', async (context) => {
  const ines = await context.demo.as('ines')
  const page = await context.signIn('Ines')
  await page.waitForSelector('.conv')
  const groups = await page.locator('.list .group').allTextContents()
  assert.equal(groups[0]!.replace(/\d+$/, ''), 'Direct messages')
  assert.ok(groups.some((one) => one.startsWith('general')))
  const unread = async () => ((await ines.call('register', {})).unread_msgs as { count: number }).count
  const before = await unread()
  await page.click('button:has-text("Mark all as read")')
  await page.waitForSelector('.empty:has-text("All read")')
  await until(async () => (await unread()) === 0)
  await page.click('.toast button:has-text("Undo")')
  await until(async () => (await unread()) === before)
  await page.waitForSelector('.conv')
})

journey('the inbox shows its title and the send button in narrow windows too', async ({ demo, signIn }) => {
  const unread = { type: 'stream', to: 'general', topic: 'narrow windows', content: 'unread' } as const
  await (await demo.as('owner')).call('sendMessage', unread)
  const page = await signIn('Marta')
  await page.waitForSelector('.preview .split')
  for (const width of [1280, 1024, 920]) {
    await page.setViewportSize({ width, height: 800 })
    const isCut = (selector: string) =>
      page.$eval(
        selector,
        (one) => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > innerWidth,
      )
    assert.equal(await isCut('.bar h1'), false, `title at ${width}`)
    const [box, button] = await Promise.all(
      ['.preview .box', '.preview .split'].map((selector) => page.locator(selector).boundingBox()),
    )
    assert.ok(button!.x + button!.width <= box!.x + box!.width, `send button at ${width}`)
  }
})

journey('everything can be done by keyboard', async ({ demo, open }) => {
  const page = await open(`${demo.url}/login`)
  const isFocused = (selector: string) =>
    page.evaluate(`document.activeElement.closest(${JSON.stringify(selector)}) !== null`)
  for (let tabs = 0; tabs < 40 && !(await isFocused('.person:has(*)')); tabs++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.app')
  await page.keyboard.press('Control+k')
  await page.locator('.palette input').pressSequentially('general')
  await page.waitForSelector('.palette [aria-selected=true]:has-text("general")')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#(narrow|topics)\/channel/)
  await page.evaluate(`document.activeElement.blur()`)
  await page.keyboard.press('a')
  await page.waitForSelector('article.msg')
  await page.keyboard.press('k')
  await page.waitForSelector('article.msg:focus')
  const id = await page.evaluate('document.activeElement.dataset.messageId')
  await page.keyboard.press('+')
  await page.waitForSelector(`[data-message-id="${id}"] .react[aria-pressed=true]`)
  await page.keyboard.press('i')
  await page.waitForSelector('[role=menu] :focus')
  await page.keyboard.press('Escape')
  await page.keyboard.press('r')
  await page.waitForSelector('#composer:focus')
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Control+Enter')
  await messageWith(page, 'By keyboard').waitFor()
})

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

journey('a phone shows one column, tabs and large targets', async ({ demo, signIn }) => {
  const page = await signIn('Marta', '#inbox', phone)
  const names = await page.locator('.tabs a').allTextContents()
  assert.deepEqual(
    names.map((name) => name.replace(/\d+/, '')),
    ['Inbox', 'Direct', 'Channels', 'Search', 'You'],
  )
  for (const tab of ['Direct', 'Channels', 'Search', 'You', 'Inbox']) {
    await page.tap(`.tabs a:has-text("${tab}")`)
    await page.waitForSelector(`.tabs a[aria-current=page]:has-text("${tab}")`)
    assert.deepEqual(await page.evaluate(smallTargets), [], tab)
  }
  await openTopic(page, demo, 'general', 'on the phone')
  await send(page, 'From my phone')
  const row = page.locator('article.msg:not(.pending)')
  await row.locator('.text').tap()
  await row.locator('[aria-label="React with +1"]').tap()
  await row.locator('.react[aria-pressed=true]').waitFor()
  assert.deepEqual(await page.evaluate(smallTargets), [])
  await row.locator('.text').evaluate(longPress)
  await page.waitForSelector('[role=menu] [role=menuitem]')
  await page.keyboard.press('Escape')
  await page.tap('[aria-label=Back]')
  await page.waitForSelector('.tabs')
})

journey('the tabs of a phone stay in place while a screen is loading', async ({ signIn }) => {
  const page = await signIn('Marta', '#inbox', phone)
  const before = await page.locator('.tabs').boundingBox()
  const { promise: isShown, resolve: show } = Promise.withResolvers<void>()
  await page.context().route('**/*.js', async (route) => {
    await isShown
    await route.continue()
  })
  await page.tap('.tabs a:has-text("Search")')
  await page.waitForSelector('.skeleton-row')
  assert.deepEqual(await page.locator('.tabs').boundingBox(), before)
  show()
  await page.waitForSelector('input[type=search]')
  assert.deepEqual(await page.locator('.tabs').boundingBox(), before)
})

/** What browsers send for it. */
function longPress(element: Element): void {
  element.dispatchEvent(new PointerEvent('contextmenu', { bubbles: true, cancelable: true, pointerType: 'touch' }))
}

/** Tabs, and buttons of bars and of messages, that a finger misses. */
const smallTargets = `[...document.querySelectorAll('.tabs a, .write, .bar .btn, .tools .btn, .settings .item, .phone-list .item, .you-row')]
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 0 && (height < 44 || width < 40))
  .map(([one, { width, height }]) => one.outerHTML.slice(0, 90) + ' ' + width + ' x ' + height)`
