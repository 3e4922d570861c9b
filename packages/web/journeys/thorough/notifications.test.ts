import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { allThemes, findProblems } from '../../../server/src/testing/browser.ts'
import { type Journey, journey, messageWith, openTopic } from '../journey.ts'

interface Shown {
  title: string
  body: string
  isClosed: boolean
  onclick(): void
}
declare const window: { shown: Shown[]; sounds: number }

/** Records notifications and sounds, because no test can see them on the screen. */
const recorder = `
window.shown = []
window.sounds = 0
window.Notification = class {
  static permission = sessionStorage.permission ?? 'default'
  static async requestPermission() { return sessionStorage.permission = Notification.permission = 'granted' }
  constructor(title, { body }) { Object.assign(this, { title, body, isClosed: false }); window.shown.push(this) }
  close() { this.isClosed = true }
}
AudioContext.prototype.resume = async () => { window.sounds++ }`

/** Signs in where notifications can be seen, and allows them. */
async function signInNotified({ signIn }: Journey, person: string): Promise<Page> {
  const page = await signIn(person, '#recent')
  await page.addInitScript(recorder)
  await page.reload()
  await page.click('.notify-bar button:has-text("Turn on")')
  await page.waitForSelector('.notify-bar', { state: 'detached' })
  return page
}

/** Title and text of the notifications so far. */
const shownOn = (page: Page) => page.evaluate(() => window.shown.map(({ title, body }) => `${title}: ${body}`))

journey('a message elsewhere is counted in the title and notifies; a click opens it', async (context) => {
  const page = await signInNotified(context, 'Marta')
  await openTopic(page, context.demo, 'general', 'quiet work')
  const countOf = async () => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0)
  const before = await countOf()
  const amir = await context.demo.as('admin')
  const { user_id } = await (await context.demo.as('member')).call('getOwnUser', {})
  const content = 'Lunch **now**?\n\n```spoiler Where\nthe secret place\n```'
  const { id } = await amir.call('sendMessage', { type: 'direct', to: [user_id], content } as never)
  await page.waitForFunction(() => window.shown.length === 1)
  assert.deepEqual(await shownOn(page), ['Amir: Lunch now? Where'])
  assert.equal(await page.evaluate(() => window.sounds), 1)
  assert.equal(await countOf(), before + 1)
  await page.evaluate(() => window.shown[0]!.onclick())
  await page.waitForURL(new RegExp(`#narrow/dm/.*/near/${id}$`))
  const row = messageWith(page, 'Lunch')
  await row.hover()
  await row.locator('[aria-label=More]').click()
  await page.click('[role=menuitem]:has-text("Why was I notified?")')
  await page.waitForSelector('dialog:has-text("It is a direct message to you.")')
  assert.deepEqual(
    await findProblems(page, { name: 'why', part: { include: ['dialog[open]'] }, themes: allThemes }),
    [],
  )
})

journey('muted topics and the open conversation do not notify, mentions do', async (context) => {
  const page = await signInNotified(context, 'Marta')
  await openTopic(page, context.demo, 'general', 'open here')
  const [amir, marta] = await Promise.all([context.demo.as('admin'), context.demo.as('member')])
  const { stream_id } = await marta.call('getChannelId', { stream: 'general' })
  await marta.call('setTopicPolicy', { stream_id, topic: 'noise', visibility_policy: 1 })
  await marta.call('setTopicPolicy', { stream_id, topic: 'followed', visibility_policy: 3 })
  const say = (topic: string, content: string) =>
    amir.call('sendMessage', { type: 'stream', to: 'general', topic, content })
  await say('noise', '@**all** listen')
  await say('open here', '@**Marta** here')
  await say('followed', 'news')
  await say('noise', '@**Marta** really')
  await page.waitForFunction(() => window.shown.length === 2)
  assert.deepEqual(await shownOn(page), ['Amir · #general > followed: news', 'Amir · #general > noise: @Marta really'])

  const { messages } = await marta.call('getMessages', {
    anchor: 'newest' as never,
    num_before: 1,
    num_after: 0,
    narrow: [{ operator: 'topic', operand: 'followed' }],
  })
  await marta.call('updateMessageFlags', { messages: [messages[0]!.id], op: 'add', flag: 'read' })
  await page.waitForFunction(() => window.shown[0]!.isClosed)
})

journey('a mention that is added to an unread message notifies once, and highlights the message', async (context) => {
  const page = await signInNotified(context, 'Ines')
  const [amir, ines] = await Promise.all([context.demo.as('admin'), context.demo.as('ines')])
  const { id } = await amir.call('sendMessage', { type: 'stream', to: 'general', topic: 'edits', content: 'Who?' })
  const path = { message_id: id }
  await openTopic(page, context.demo, 'general', 'elsewhere')
  await amir.call('editMessage', { path, content: '@**Ines** you?' })
  await page.waitForFunction(() => window.shown.length === 1)
  await amir.call('editMessage', { path, content: '@**Ines** you again?' })
  await amir.call('sendMessage', { type: 'stream', to: 'general', topic: 'edits', content: '@**Ines** last' })
  await page.waitForFunction(() => window.shown.length === 2)
  assert.deepEqual(await shownOn(page), ['Amir · #general > edits: @Ines you?', 'Amir · #general > edits: @Ines last'])
  assert.equal((await ines.call('getMessage', { path })).message.flags.includes('mentioned'), true)
  await openTopic(page, context.demo, 'general', 'edits')
  await page.waitForSelector('article.msg.mentions:has-text("you again?")')
})

journey('of two windows, one notifies', async (context) => {
  const first = await signInNotified(context, 'Marta')
  const second = await first.context().newPage()
  await second.addInitScript(`sessionStorage.permission = 'granted';${recorder}`)
  await second.goto(`${context.demo.url}/#recent`)
  await second.waitForSelector('.app')
  const amir = await context.demo.as('admin')
  const { user_id } = await (await context.demo.as('member')).call('getOwnUser', {})
  const countOf = async () => (await Promise.all([first, second].map(shownOn))).map(({ length }) => length)
  for (const content of ['one', 'two']) {
    await amir.call('sendMessage', { type: 'direct', to: [user_id], content } as never)
    await Promise.all(
      [first, second].map((page) => page.waitForFunction((text) => document.body.textContent!.includes(text), content)),
    )
  }
  await first.waitForTimeout(400)
  const [a, b] = await countOf()
  assert.equal(a! + b!, 2)
})

journey('the offer of notifications is accessible, and dismissed for good', async ({ signIn }) => {
  const page = await signIn('Marta', '#recent', { viewport: { width: 390, height: 844 } })
  await page.addInitScript(recorder)
  await page.reload()
  await page.waitForSelector('.notify-bar')
  assert.deepEqual(await findProblems(page, { name: 'bar', part: { include: ['.notify-bar'] }, themes: allThemes }), [])
  await page.click('[aria-label="Not now"]')
  await page.reload()
  await page.waitForSelector('.tabs')
  assert.equal(await page.locator('.notify-bar').count(), 0)
})
