import assert from 'node:assert/strict'
import { journey, messageWith, openTopic, send } from '../journey.ts'

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

journey('people are completed while a message is edited', async ({ demo, signIn }) => {
  const page = await signIn('Jonas')
  await openTopic(page, demo, 'general', 'editing')
  await send(page, 'Thanks to')
  await page.locator('article.msg:not(.pending)', { hasText: 'Thanks to' }).waitFor()
  await page.locator('article.msg', { hasText: 'Thanks to' }).locator('.text').click()
  await page.keyboard.press('e')
  const editor = page.locator('.editing textarea')
  await editor.press('End')
  await editor.pressSequentially(' @Pri')
  await page.waitForSelector('.editing [role=option]:has-text("Priya")')
  await page.keyboard.press('Enter')
  assert.match(await editor.inputValue(), /^Thanks to @\*\*Priya\|\d+\*\* $/)
  await page.keyboard.press('Control+Enter')
  await page.waitForSelector('article.msg .user-mention:has-text("Priya")')
})

journey(
  'a message is forwarded, and the conversation that is written to is opened, by keys',
  async ({ demo, signIn }) => {
    const page = await signIn('Jonas')
    await openTopic(page, demo, 'general', 'forwarding')
    await send(page, 'Worth reading')
    await page.locator('article.msg:not(.pending)', { hasText: 'Worth reading' }).waitFor()
    await page.locator('article.msg', { hasText: 'Worth reading' }).locator('.text').click()
    await page.keyboard.press('<')
    await page.getByRole('textbox', { name: 'Channel', exact: true }).fill('kitch')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('Topic').fill('forwarded')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#composer[placeholder*="forwarded"]')
    const typed = (text: string) =>
      page.waitForFunction(
        (part) => document.querySelector<HTMLTextAreaElement>('#composer')?.value.includes(part),
        text,
      )
    await typed('Worth reading')
    await page.click('.side a.item:has-text("kitchen")')
    await page.click('.seg a:has-text("Messages")')
    await page.fill('.compose .topic-input', 'elsewhere')
    await page.fill('#composer', 'Half a sentence')
    await page.press('#composer', 'Control+.')
    await page.waitForSelector('#composer[placeholder*="elsewhere"]')
    await typed('Half a sentence')
  },
)

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

journey('a topic that is resolved while a reply is typed keeps the reply and the focus', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  const place = { type: 'stream', to: 'general', topic: 'short question' } as const
  const { id } = await olivia.call('sendMessage', { ...place, content: 'Does it work?' })
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'short question')
  await page.click('#composer')
  await page.keyboard.type('Yes, t')
  await page.keyboard.press('ArrowLeft')
  const change = { topic: '✔ short question', propagate_mode: 'change_all' } as const
  await olivia.call('editMessage', { path: { message_id: id }, ...change })
  await page.waitForURL(/topic\/\.E2\.9C\.94/)
  await page.keyboard.type('a')
  assert.equal(await page.inputValue('#composer'), 'Yes, at')
  await page.keyboard.press('Control+Enter')
  await messageWith(page, 'Yes, at').waitFor()
})

journey('an unsaved edit survives other screens, Escape and the deletion of its message', async ({ demo, signIn }) => {
  const marta = await demo.as('member')
  const place = { type: 'stream', to: 'general', topic: 'unsaved' } as const
  const { id } = await marta.call('sendMessage', { ...place, content: 'as it was' })
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'unsaved')
  await messageWith(page, 'as it was').focus()
  await page.keyboard.press('e')
  const editor = page.locator('.editing textarea')
  await editor.waitFor()
  await page.keyboard.type(', and more')
  assert.equal(await editor.inputValue(), 'as it was, and more')
  await editor.fill('a long new text')
  await page.goto(`${demo.url}/#recent`)
  await page.waitForSelector('h1:has-text("Recent")')
  await page.goBack()
  assert.equal(await editor.inputValue(), 'a long new text')
  await editor.press('Escape')
  await editor.waitFor({ state: 'detached' })
  await page.click('.toast button:has-text("Undo")')
  assert.equal(await editor.inputValue(), 'a long new text')
  await (await demo.as('owner')).call('deleteMessage', { path: { message_id: id } })
  await page.waitForSelector('.toast.error:has-text("Your text is in your drafts.")')
  const { drafts } = await marta.call('getDrafts', {})
  assert.ok(drafts.some(({ content, topic }) => content === 'a long new text' && topic === 'unsaved'))
})

journey('an upload is retried after an error, and goes on while another screen is shown', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'uploads')
  const file = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('a plan') }
  const uploads = '**/api/v1/user_uploads'
  await page.route(uploads, (route) => route.fulfill({ status: 413, contentType: 'text/html', body: '<h1>Too large' }))
  await page.setInputFiles('.compose input[type=file]', file)
  await page.waitForSelector('.upload-failed:has-text("plan.txt could not be uploaded.")')
  await page.unroute(uploads)
  const answer = Promise.withResolvers<void>()
  await page.route(uploads, (route) => answer.promise.then(() => route.continue()))
  await page.click('.upload-failed button:has-text("Try again")')
  await page.waitForSelector('.upload progress')
  await page.goto(`${demo.url}/#recent`)
  await page.waitForSelector('h1:has-text("Recent")')
  answer.resolve()
  await page.waitForResponse(uploads)
  await page.goBack()
  await page.waitForSelector('.upload:not(:has(progress))')
  assert.match(await page.inputValue('#composer'), /^\[plan\.txt\]\(\/user_uploads\/.+\)\n$/)
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
    type: 'stream',
    to: 'general',
    topic: 'undoing',
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
