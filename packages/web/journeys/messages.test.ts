import assert from 'node:assert/strict'
import { journey, messageWith, openTopic, send } from './journey.ts'

journey('a user picks an account, sees the inbox and opens a topic', async ({ demo, signIn }) => {
  await (await demo.as('owner')).call('sendMessage', {
    type: 'stream',
    to: 'kitchen',
    topic: 'coffee',
    content: 'It is descaled again.',
  })
  const page = await signIn('Marta')
  await page.click('.conv-open:has-text("coffee")')
  await messageWith(page, 'It is descaled again.').waitFor()
  await page.click('[aria-label=Open]')
  await page.waitForURL(/#narrow\/channel\/\d+-kitchen\/topic\/coffee/)
  assert.match(await page.title(), /coffee/i)
})

journey('a sent message is shown at once and exactly once', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'sending')
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/v1/messages', async (route) => {
    if (route.request().method() === 'POST') await isReleased
    await route.continue()
  })
  await send(page, 'Seen **before** it is stored')
  await messageWith(page, 'Seen').and(page.locator('.pending')).waitFor()
  assert.equal(await page.inputValue('#composer'), '')
  release()
  await page.locator('article.msg:not(.pending) strong', { hasText: 'before' }).waitFor()
  assert.equal(await messageWith(page, 'Seen').count(), 1)
})

journey('a message is edited, starred and reacted to', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'changing')
  await send(page, 'Tpyo')
  const row = page.locator('article.msg:not(.pending)')
  await row.hover()
  await row.locator('[aria-label="React with +1"]').click()
  await row.locator('.react[aria-pressed=true]').waitFor()
  await row.locator('[aria-label=Star]').click()
  await row.locator('[aria-label="Remove star"]').waitFor()
  await row.locator('[aria-label=More]').click()
  await page.click('[role=menuitem]:has-text("Edit")')
  await page.fill('[aria-label="Edit message"]', 'Typo')
  await page.press('[aria-label="Edit message"]', 'Control+Enter')
  await messageWith(page, 'Typo').locator('.edited').waitFor()
  await page.goto(`${demo.url}/#narrow/is/starred`)
  await messageWith(page, 'Typo').waitFor()
})

journey('deleting can be undone, and otherwise happens', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'deleting')
  await page.clock.install()
  await send(page, 'Not for long')
  const row = page.locator('article.msg:not(.pending)')
  const remove = async () => {
    await row.hover()
    await row.locator('[aria-label=More]').click()
    await page.click('[role=menuitem]:has-text("Delete")')
  }
  await remove()
  await row.locator('.deleted button').click()
  await page.clock.fastForward(10_000)
  await row.waitFor()
  await remove()
  await page.clock.fastForward(10_000)
  await row.waitFor({ state: 'detached' })
})

journey('reading takes the count of unread messages down', async ({ demo, signIn }) => {
  const amir = await demo.as('admin')
  for (const content of ['one', 'two', 'three'])
    await amir.call('sendMessage', { type: 'stream', to: 'general', topic: 'counting', content })
  const page = await signIn('Priya', '#recent')
  const count = async () => Number(await page.textContent('.side a[href="#inbox"] .pill'))
  const before = await count()
  await openTopic(page, demo, 'general', 'counting')
  await page.waitForFunction(
    (most) => Number(document.querySelector('.side a[href="#inbox"] .pill')?.textContent ?? 0) <= most,
    before - 3,
  )
})

journey('two people see each other typing and writing', async ({ demo, signIn }) => {
  const [marta, ines] = await Promise.all([signIn('Marta'), signIn('Ines')])
  await Promise.all([marta, ines].map((page) => openTopic(page, demo, 'general', 'together')))
  await marta.locator('#composer').pressSequentially('Hi')
  await ines.waitForSelector('.typing:has-text("Marta is typing")')
  await marta.press('#composer', 'Control+Enter')
  await messageWith(ines, 'Hi').waitFor()
  await send(ines, 'Hello yourself')
  await messageWith(marta, 'Hello yourself').waitFor()
  assert.equal(await marta.locator('article.msg').count(), 2)
})

journey(
  'an open inbox reads nothing until a conversation is chosen, which then stays open',
  async ({ demo, signIn }) => {
    const admin = await demo.as('admin')
    for (const topic of ['first of two', 'second of two'])
      await admin.call('sendMessage', { type: 'stream', to: 'general', topic, content: `in ${topic}` } as never)
    const page = await signIn('Jonas')
    const row = page.locator('.conv', { hasText: 'first of two' })
    await page.waitForSelector('.preview article.msg')
    const before = await page.locator('.conv').count()
    await page.waitForTimeout(2500)
    assert.equal(await page.locator('.conv').count(), before)
    await row.locator('.conv-open').click()
    await row.waitFor({ state: 'detached' })
    assert.equal(await page.locator('.preview h2').textContent(), 'first of two')
  },
)
