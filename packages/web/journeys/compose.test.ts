import assert from 'node:assert/strict'
import { allThemes, findProblems } from '../../server/src/testing/browser.ts'
import { journey, messageWith, openTopic, send } from './journey.ts'

journey('emoji, people and topics are completed by keyboard', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'completing')
  const composer = page.locator('#composer')
  await composer.pressSequentially('Hi @Pri')
  await page.waitForSelector('[role=option]:has-text("Priya")')
  await page.keyboard.press('Tab')
  assert.match(await composer.inputValue(), /^Hi @\*\*Priya\|\d+\*\* $/)
  await composer.pressSequentially(':tad')
  await page.waitForSelector('[role=option]:has-text(":tada:")')
  await page.keyboard.press('Enter')
  await composer.pressSequentially('#kitch')
  await page.keyboard.press('Tab')
  await composer.pressSequentially('>lun')
  await page.waitForSelector('[role=option]:has-text("lunch")')
  await page.keyboard.press('Tab')
  assert.match(await composer.inputValue(), /:tada: #\*\*kitchen>lunch\*\* $/)
})

journey('a message is scheduled, edited and sent now', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'later')
  await page.fill('#composer', 'See you tomorrow')
  await page.click('[aria-label="Send later"]')
  await page.click('[role=menuitem]:has-text("Tomorrow")')
  await page.waitForSelector('.toast:has-text("tomorrow at")')
  assert.equal(await page.inputValue('#composer'), '')
  await page.click('.side a:has-text("Scheduled")')
  await page.click('.scheduled button:has-text("Edit")')
  await page.fill('dialog textarea', 'See you **soon**')
  await page.click('dialog button:has-text("Save")')
  await page.waitForSelector('.scheduled strong:has-text("soon")')
  await page.click('.scheduled button:has-text("Send now")')
  await page.waitForSelector('.empty')
  await openTopic(page, demo, 'general', 'later')
  await messageWith(page, 'See you soon').waitFor()
})

journey('a draft survives a reload, reaches another device, and is gone once it is sent', async ({ demo, signIn }) => {
  const [desk, phone] = await Promise.all([signIn('Marta'), signIn('Marta', '#drafts')])
  await openTopic(desk, demo, 'general', 'drafting')
  await desk.fill('#composer', 'Not finished')
  await phone.waitForSelector('.draft-text:has-text("Not finished")')
  await desk.reload()
  await desk.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('#composer')?.value === 'Not finished')
  await openTopic(phone, demo, 'general', 'drafting')
  assert.equal(await phone.inputValue('#composer'), 'Not finished')
  await send(desk, 'Finished')
  await phone.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('#composer')?.value === '')
  const { count } = await (await demo.as('member')).call('getDrafts')
  assert.equal(count, 0)
})

journey('a mentioned person who is not subscribed can be subscribed', async ({ demo, signIn }) => {
  const owner = await demo.as('owner')
  const { user_id } = await (await demo.as('jonas')).call('getOwnUser')
  await owner.call('unsubscribe', { subscriptions: ['kitchen'], principals: [user_id] })
  const page = await signIn('Marta')
  await openTopic(page, demo, 'kitchen', 'inviting')
  await page.fill('#composer', `@**Jonas|${user_id}** look`)
  await page.click('.warning:has-text("Jonas is not subscribed") button')
  await page.waitForSelector('.warning', { state: 'detached' })
})

journey('a merged topic is taken apart again by undo', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  await openTopic(page, demo, 'general', 'target')
  await send(page, 'Was here before')
  await openTopic(page, demo, 'general', 'source')
  await send(page, 'Moves around')
  await page.locator('article.msg:not(.pending)').waitFor()
  await page.click('header [aria-label="Topic actions"]')
  await page.click('[role=menuitem]:has-text("Rename")')
  await page.fill('dialog [aria-label=Topic]', 'target')
  await page.click('dialog button:has-text("Rename")')
  await messageWith(page, 'Was here before').waitFor()
  await page.click('.toast:has-text("renamed") button')
  await messageWith(page, 'Moves around').waitFor({ state: 'detached' })
  assert.equal(await messageWith(page, 'Was here before').count(), 1)
})

journey('Ctrl Z takes back the latest act, also after its toast is gone', async ({ demo, signIn }) => {
  await (await demo.as('owner')).call('sendMessage', {
    ...{ type: 'stream', to: 'general', topic: 'undoing' },
    content: 'Read me',
  })
  const page = await signIn('Ines')
  const row = page.locator('.conv', { hasText: 'undoing' })
  await page.clock.install()
  await row.locator('[aria-label="Done: mark as read"]').click()
  await row.waitFor({ state: 'detached' })
  await page.clock.fastForward(20_000)
  await page.waitForSelector('.toast', { state: 'detached' })
  await page.keyboard.press('Control+z')
  await row.waitFor()
})

journey('the keys are listed, and work by position on another layout', async ({ signIn }) => {
  const page = await signIn('Marta')
  await page.keyboard.press('?')
  await page.waitForSelector('dialog kbd:has-text("Shift I")')
  await page.keyboard.press('Escape')
  await page.evaluate(() =>
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'в', code: 'KeyD', bubbles: true })),
  )
  await page.waitForURL(/#drafts$/)
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
  for (const hash of [`#topics/channel/${stream_id}-general`, '#scheduled']) {
    await page.goto(`${demo.url}/${hash}`)
    await page.waitForSelector('h1')
    await page.waitForSelector('.skeleton', { state: 'detached' })
    await check(hash.slice(1, 10), 'main')
  }
  assert.deepEqual(problems, [])
})
