import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { allThemes, findProblems } from '../../../server/src/testing/browser.ts'
import { until } from '../../../server/src/testing/until.ts'
import { type Demo, journey, openTopic } from '../journey.ts'

const widths = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } }
/** Colours hardly depend on the width: phones are checked in every theme only where time allows it. */
const phoneThemes = process.env.ALL_THEMES ? allThemes : allThemes.slice(-1)

const everything = `**bold** ~~gone~~ \`code\` [link](https://example.com) @**Olivia** #**general>hello** :tada:

> quoted

1. one
2. two

| a | b |
|---|---|
| 1 | 2 |

\`\`\`js
const x = 'text' + 12 // comment
\`\`\`

\`\`\`spoiler Look
hidden
\`\`\`

[tides.pdf](/user_uploads/1/ab/tides.pdf)

$$e = mc^2$$`

/** Something to show on every screen. Returns the ids that their hashes contain. */
async function fill(demo: Demo): Promise<{ channel: number; group: number; person: number }> {
  const [olivia, amir] = await Promise.all([demo.as('owner'), demo.as('admin')])
  const { stream_id: channel } = await olivia.call('getChannelId', { stream: 'general' })
  const { user_id: person } = await amir.call('getOwnUser', {})
  const topic = { type: 'stream', to: 'general', topic: 'everything' } as const
  const { id } = await olivia.call('sendMessage', { ...topic, content: 'to be edited' })
  await olivia.call('editMessage', { path: { message_id: id }, content: everything })
  await olivia.call('updateMessageFlags', { messages: [id], op: 'add', flag: 'starred' })
  await amir.call('addReaction', { path: { message_id: id }, emoji_name: 'tada' })
  for (const content of ['/poll Lunch?\nSoup\nSalad', '@**Olivia** look'])
    await amir.call('sendMessage', { ...topic, content })
  const { group_id } = await olivia.call('createUserGroup', { name: 'editors', description: '', members: [person] })
  return { channel, group: group_id, person }
}

async function visit(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await page.waitForSelector('h1')
  await page.waitForSelector('.skeleton', { state: 'detached' })
}

/** The hashes of all pages that the settings list. */
async function settingsPages(page: Page): Promise<string[]> {
  await visit(page, '#settings')
  const links = await page.locator('nav[aria-label=Settings] a').all()
  return Promise.all(links.map(async (link) => (await link.getAttribute('href'))!))
}

/** Clicks a tool of the first message, and an entry of its menu. */
async function useTool(page: Page, label: string, entry?: string): Promise<void> {
  const row = page.locator('article.msg').first()
  await row
    .locator('.text')
    .first()
    .click({ position: { x: 1, y: 1 } })
  await row.locator(`[aria-label="${label}"]`).click()
  if (entry) await page.click(`[role=menuitem]:has-text("${entry}")`)
}

/** What opens on top of a topic. */
const openings: Record<string, (page: Page) => Promise<unknown>> = {
  palette: (page) => page.keyboard.press('Control+k'),
  search: (page) => page.keyboard.press('/'),
  menu: (page) => useTool(page, 'More'),
  source: (page) => useTool(page, 'More', 'View source'),
  move: (page) => useTool(page, 'More', 'Move'),
  history: (page) => useTool(page, 'More', 'Edit history'),
  receipts: (page) => useTool(page, 'More', 'Read receipts'),
  emoji: (page) => useTool(page, 'Add reaction'),
  person: (page) => page.click('article.msg header button'),
}
const opened = 'dialog[open], [role=menu], [role=dialog]'

journey('every screen is accessible in every theme, on desktops and phones', async ({ demo, signIn }) => {
  const { channel, group, person } = await fill(demo)
  const topic = `#narrow/channel/${channel}/topic/everything`
  const places = ['#inbox', '#recent', '#feed', '#narrow/is/mentioned', '#narrow/is/starred', '#drafts', '#nowhere']
  const conversations = [`#narrow/channel/${channel}`, topic, `#narrow/dm/${person}`, '#narrow/search/lunch']
  const page = await signIn('Olivia', '#inbox', { reducedMotion: 'reduce' })
  const pages = await settingsPages(page)
  const settings = ['#channels', '#channels/new', `#channels/${channel}`, '#settings', ...pages, `#groups/${group}`]
  const problems: string[] = []
  for (const [size, viewport] of Object.entries(widths)) {
    await page.setViewportSize(viewport)
    const themes = size === 'phone' ? phoneThemes : allThemes
    for (const hash of [...places, ...conversations, ...settings]) {
      await visit(page, hash)
      const part = { exclude: hash === '#inbox' ? [] : ['.side', '.tabs'] }
      problems.push(...(await findProblems(page, { name: `${size}${hash.replace(/\W+/g, '-')}`, part, themes })))
    }
    await visit(page, topic)
    for (const [name, open] of Object.entries(openings)) {
      await until(async () => {
        await open(page)
        return page.waitForSelector(opened, { timeout: 5000 }).catch(() => undefined)
      })
      await page.waitForSelector('dialog .skeleton', { state: 'detached' })
      problems.push(...(await findProblems(page, { name: `${size}-${name}`, part: { include: [opened] }, themes })))
      await page.keyboard.press('Escape')
      await page.waitForSelector(opened, { state: 'detached' })
    }
  }
  assert.deepEqual(problems, [])
})

journey('what the composer and the topics open is accessible', async ({ demo, signIn }) => {
  const page = await signIn('Olivia', '#inbox', { reducedMotion: 'reduce' })
  const { stream_id } = await (await demo.as('owner')).call('getChannelId', { stream: 'general' })
  await openTopic(page, demo, 'general', 'hello')
  const problems: string[] = []
  const check = async (name: string, include: string) =>
    problems.push(...(await findProblems(page, { name, part: { include: [include] }, themes: allThemes })))
  const openings: Record<string, () => Promise<unknown>> = {
    'topic-menu': () => page.click('header [aria-label="Topic actions"]'),
    'send-later': () => page.click('[aria-label="Send later"]'),
    snippets: () => page.click('[aria-label="Saved snippets"]'),
    keys: () => page.keyboard.press('?'),
    'new-message': () => page.keyboard.press('x'),
  }
  for (const [name, open] of Object.entries(openings)) {
    await open()
    await page.waitForSelector('dialog[open], [role=menu]')
    await check(name, 'dialog[open], [role=menu]')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog[open], [role=menu]', { state: 'detached' })
  }
  await page.fill('#composer', '')
  await page.locator('#composer').pressSequentially('@Mar')
  await page.waitForSelector('[role=option]')
  await check('completion', '.compose')
  await page.fill('#composer', '')
  await page.click('header [aria-label="About this topic"]')
  await page.waitForSelector('.panel .person, dialog .person')
  await check('details', '.panel, dialog[open]')
  for (const hash of [`#topics/channel/${stream_id}-general`, `#files/channel/${stream_id}-general`, '#scheduled']) {
    await page.goto(`${demo.url}/${hash}`)
    await page.waitForSelector('h1')
    await page.waitForSelector('.skeleton', { state: 'detached' })
    await check(hash.slice(1, 10), 'main')
  }
  assert.deepEqual(problems, [])
})
