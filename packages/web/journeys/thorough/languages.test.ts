import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { readEnglish } from '../../texts.ts'
import { type Demo, type Journey, journey, openTopic } from '../journey.ts'
import { accented, pseudo, pseudoScripts } from '../pseudo-locale.ts'

const english = readEnglish()

/** Something to show on every screen. Returns hashes that contain ids. */
async function fill(demo: Demo): Promise<string[]> {
  const [olivia, amir] = await Promise.all([demo.as('owner'), demo.as('admin')])
  const { stream_id } = await olivia.call('getChannelId', { stream: 'general' })
  const { user_id } = await amir.call('getOwnUser', {})
  const topic = { type: 'stream', to: 'general', topic: 'everything' } as const
  const { id } = await olivia.call('sendMessage', { ...topic, content: 'to be edited' })
  await olivia.call('editMessage', { path: { message_id: id }, content: 'was edited' })
  await amir.call('addReaction', { path: { message_id: id }, emoji_name: 'tada' })
  for (const content of ['/poll Lunch?\nSoup\nSalad', '/todo Shopping\nBread', '@**Olivia** look'])
    await amir.call('sendMessage', { ...topic, content })
  const later = Math.floor(Date.now() / 1000) + 90_000
  await olivia.call('scheduleMessage', {
    type: 'stream',
    to: stream_id,
    topic: 'everything',
    content: 'later',
    scheduled_delivery_timestamp: later,
  })
  const { group_id } = await olivia.call('createUserGroup', { name: 'editors', description: '', members: [user_id] })
  const channel = `channel/${stream_id}-general`
  return [
    ...[
      `#narrow/${channel}/topic/everything`,
      `#narrow/${channel}`,
      `#topics/${channel}`,
      `#files/${channel}`,
      `#narrow/dm/${user_id}`,
    ],
    ...[`#channels/${stream_id}`, `#groups/${group_id}`, '#narrow/search/nothing'],
  ]
}

const screens = [
  ...['#inbox', '#recent', '#feed', '#drafts', '#scheduled', '#channels', '#channels/new', '#nowhere'],
  ...['#narrow/is/mentioned', '#narrow/is/starred', '#settings', '#settings/nowhere'],
]

async function visit(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await page.waitForSelector('h1')
  await page.waitForSelector('.skeleton', { state: 'detached' })
}

/** The hashes of all pages that the settings list. */
async function settingsPages(page: Page): Promise<string[]> {
  await visit(page, '#settings')
  return page.locator('.settings nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href')!))
}

/** Clicks a tool of the first message, and an entry of its menu. */
async function useMessageMenu(page: Page, id?: string): Promise<void> {
  const row = page.locator('article.msg').first()
  await row.locator('.text').click({ position: { x: 1, y: 1 } })
  await row.locator('.tools [aria-haspopup=menu]').click()
  if (id) await page.click(`[role=menuitem]:has-text(${JSON.stringify(pseudo(english[id]!))})`)
}

/** What opens on top of a topic. */
const openings: Record<string, (page: Page) => Promise<unknown>> = {
  keys: (page) => page.keyboard.press('?'),
  palette: (page) => page.keyboard.press('Control+k'),
  'new message': (page) => page.keyboard.press('c'),
  'new direct message': (page) => page.keyboard.press('x'),
  'message menu': (page) => useMessageMenu(page),
  source: (page) => useMessageMenu(page, 'message.viewSource'),
  move: (page) => useMessageMenu(page, 'move.move'),
  history: (page) => useMessageMenu(page, 'message.history'),
  receipts: (page) => useMessageMenu(page, 'message.receipts'),
  person: (page) => page.click('article.msg header button'),
  'topic menu': (page) => page.click('header.bar [aria-haspopup=menu]'),
  'send menu': (page) => page.click('.split [aria-haspopup=menu]'),
}
const opened = 'dialog[open], [role=menu], [role=dialog]'

/** All strings of the account, which users wrote. */
async function userContent(demo: Demo): Promise<string[]> {
  const state = await (await demo.as('owner')).call('register', {})
  const found = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value === 'string') for (const part of [value, value.replaceAll('_', ' ')]) found.add(part)
    else if (value !== null && typeof value === 'object') for (const one of Object.values(value)) collect(one)
  }
  collect(state)
  return [...found]
}

/** Written by users, by the server, or the same in every language. */
const foreign = [
  '.text',
  '.conv p',
  '.poll',
  '.source',
  '.place',
  '.reacts',
  'kbd',
  'code',
  'time',
  // Names of weekdays, which the browser knows.
  '.day-row > b',
  '.avatar',
  '.audit-entry dd',
  '.topic-row .latest',
  '.hook-catalogue a',
  'option',
]
const shown = ['aria-label', 'title', 'placeholder', 'alt']

/** Examples of input, topics, and what the server says. */
const examples = [
  ...['party_ship', 'ann@example.com', 'rust', 'https://play.example.com/?code={code}', '-bot@demo.invalid'],
  ...[
    'channel events',
    'nothing',
    'Chrome on Linux',
    'node',
    'English',
    'Deutsch',
    ...Intl.supportedValuesOf('timeZone'),
  ],
]
/** As the browser writes them. */
const dates = /\b([AP]M|\w+day|(Jan|Febr)uary|March|April|May|June|July|August|(Septem|Octo|Novem|Decem)ber|at)\b/g

/** Texts and labels on the page that did not come from the texts of the language. */
async function untranslated(page: Page, known: readonly string[]): Promise<string[]> {
  const texts = await page.evaluate(
    ([skip, attributes]) => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const found: string[] = []
      while (walker.nextNode())
        if (!walker.currentNode.parentElement!.closest(skip!)) found.push(walker.currentNode.textContent!.trim())
      for (const name of attributes!.split(','))
        for (const one of document.querySelectorAll(`[${name}]`))
          if (!one.closest(skip!)) found.push(one.getAttribute(name)!.trim())
      return found
    },
    [['script', 'noscript', ...foreign].join(), shown.join()] as const,
  )
  const isKnown = new Set([...known, ...examples])
  const isAllowed = (text: string) =>
    isKnown.has(text.replace(/^#/, '')) || !/[A-Za-z]{2}/.test(text.replace(dates, ''))
  const ofUsers = (text: string) => isAllowed(text) || text.split(/, | · |: /).every(isAllowed)
  return [...new Set(texts)].filter((text) => /[A-Za-z]{2}/.test(text) && !accented.test(text) && !ofUsers(text))
}

/** Elements that have to be scrolled sideways, or are cut off at the edge of the screen. */
const tooWide = `[
  ...[...document.querySelectorAll('html, body, .app, .main, .side, .page, .bar, dialog[open], [role=menu], .tabs')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => (one.className || one.localName) + ' is ' + (one.scrollWidth - one.clientWidth) + ' px too wide'),
  ...[...document.querySelectorAll('button, a.btn, input, select, h1, h2')]
    .filter((one) => one.checkVisibility() && !one.closest('.hidden'))
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([, { left, right, width }]) => width > 0 && (left < -1 || right > innerWidth + 1))
    .map(([one]) => one.localName + ' ' + one.className + ' is cut off: ' + one.textContent),
]`

const widths = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } }

let filling: Promise<string[]> | undefined

/** Opens every screen and dialog in a language made from English, and reports what looks wrong. */
async function inspectAll({ demo, signIn }: Journey, locale: string): Promise<string[]> {
  filling ??= fill(demo)
  const filled = await filling
  const known = await userContent(demo)
  const page = await signIn('Olivia', '#inbox', { reducedMotion: 'reduce' })
  const { first, more } = pseudoScripts(locale)
  await page.route(/\/app\/assets\/en-[\w-]{8}\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: first }),
  )
  await page.route(/\/app\/assets\/en-more-[\w-]{8}\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: more }),
  )
  await page.reload()
  await page.waitForSelector(`html[lang=${locale}] .app`)
  const problems: string[] = []
  const inspect = async (name: string) => {
    const found = [
      ...(await untranslated(page, known)).map((text) => `“${text}”`),
      ...((await page.evaluate(tooWide)) as string[]),
    ]
    problems.push(...found.map((one) => `${name}: ${one}`))
    const file = `${locale}-${name}`.replace(/\W+/g, '-')
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${file}.png` })
  }
  const all = [...screens, ...filled, ...(await settingsPages(page))]
  for (const [size, viewport] of Object.entries(widths)) {
    await page.setViewportSize(viewport)
    for (const hash of all) {
      await visit(page, hash)
      await inspect(`${size} ${hash}`)
    }
    await visit(page, filled[0]!)
    for (const [name, open] of Object.entries(openings)) {
      await page.waitForSelector('article.msg')
      await open(page)
      await page.waitForSelector(opened)
      await page.waitForSelector('dialog .skeleton', { state: 'detached' })
      await inspect(`${size} ${name}`)
      await page.keyboard.press('Escape')
      await page.waitForSelector(opened, { state: 'detached' })
    }
  }
  return [...new Set(problems)]
}

journey('every text is translated, and longer texts fit', async (way) => {
  assert.deepEqual(await inspectAll(way, 'en-XA'), [])
})

journey('everything is mirrored in a language that is written from right to left', async (way) => {
  assert.deepEqual(await inspectAll(way, 'ar-XB'), [])
})

journey('a user chooses German, and the whole client speaks it, also after a reload', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await visit(page, '#settings/appearance')
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.waitForSelector('h1:has-text("Darstellung")')
  assert.equal(await page.getAttribute('html', 'lang'), 'de')
  await page.reload()
  await page.waitForSelector('h1:has-text("Darstellung")')
  await openTopic(page, demo, 'general', 'hello')
  await page.waitForSelector('#composer[placeholder^="Nachricht an #general"]')
  assert.equal(await page.locator('.side a[href="#inbox"] .name').textContent(), 'Posteingang')
  const { default_language } = (await (await demo.as('member')).call('register', {})).user_settings as never as {
    default_language: string
  }
  assert.equal(default_language, 'de')
})

journey('before the account is known, the language is that of the browser', async ({ open, demo }) => {
  const page = await open(`${demo.url}/login`, { locale: 'de-AT' })
  await page.click('.person:has-text("Olivia")')
  await page.route('**/api/v1/register', () => {}) // never answered
  await page.goto('about:blank')
  await page.goto(`${demo.url}/#inbox`)
  await page.waitForSelector('html[lang=de] [aria-label="Wird geladen"]')
})
