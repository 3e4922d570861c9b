import assert from 'node:assert/strict'
import { journey, messageWith, openTopic, send } from './journey.ts'

journey('where one may not write, a line says so instead of the composer', async ({ demo, signIn }) => {
  const owner = await demo.as('owner')
  const { stream_id } = await owner.call('getChannelId', { stream: 'general' })
  const { user_groups } = await owner.call('getUserGroups', {} as never)
  const allow = (group: string) => {
    const { id } = user_groups.find(({ name }) => name === group)!
    return owner.call('updateChannel', { path: { stream_id }, can_send_message_group: { new: id } } as never)
  }
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'closing')
  await allow('role:owners')
  await page.locator('.closed-line', { hasText: '#general' }).waitFor()
  assert.equal(await page.locator('#composer').count(), 0)
  await allow('role:everyone')
  await page.waitForSelector('#composer')
})

journey('a channel that one is not in is named in the composer, and can be joined there', async ({ demo, signIn }) => {
  const page = await signIn('Amir')
  await openTopic(page, demo, 'kitchen', 'visiting')
  assert.match((await page.getAttribute('#composer', 'placeholder'))!, /#kitchen/)
  assert.equal(await page.locator('.to-line .chip').first().textContent(), 'kitchen')
  await page.click('.join-line button:has-text("Join")')
  await page.locator('.join-line').waitFor({ state: 'detached' })
})

journey(
  'a new message is proposed for the open conversation, and forwarding asks where to',
  async ({ demo, signIn }) => {
    const page = await signIn('Marta')
    await openTopic(page, demo, 'kitchen', 'proposing')
    await send(page, 'Pass it on')
    await page.press('#composer', 'Escape')
    await page.keyboard.press('c')
    await page.waitForSelector('dialog[open] [aria-label=Topic]')
    assert.equal(await page.inputValue('dialog[open] [aria-label=Topic]'), 'proposing')
    assert.equal(await page.getByRole('textbox', { name: 'Channel', exact: true }).inputValue(), 'kitchen')
    await page.keyboard.press('Escape')
    const row = page.locator('article.msg:not(.pending)', { hasText: 'Pass it on' })
    await row.hover()
    await row.locator('[aria-label=More]').click()
    await page.click('[role=menuitem]:has-text("Forward")')
    await page.locator('dialog[open] h2', { hasText: 'Forward message' }).waitFor()
    await page.locator('dialog[open] .forwarded', { hasText: 'Pass it on' }).waitFor()
    assert.equal(await page.inputValue('dialog[open] [aria-label=Topic]'), '')
  },
)

const file = (name: string, bytes = 10, mimeType = 'image/png') => ({ name, mimeType, buffer: Buffer.alloc(bytes) })

journey('a file that is too large is refused before it is sent', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'kitchen', 'too large')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.locator('#composer').evaluate((field) => {
    const files = new DataTransfer()
    files.items.add(new File([new Uint8Array(26 * 1024 * 1024)], 'pontoon.mov'))
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, bubbles: true }))
  })
  await page.locator('.upload-failed', { hasText: 'pontoon.mov could not be uploaded. The file is 26 MB' }).waitFor()
  assert.equal(await page.locator('.upload-failed button:has-text("Try again")').count(), 0)
  assert.deepEqual(
    requests.filter((url) => url.endsWith('/user_uploads')),
    [],
  )
  await page.click('.upload-failed button[aria-label=Discard]')
  await page.locator('.upload-failed').waitFor({ state: 'detached' })
})

journey('files are shown and keep the order in which they were chosen', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'kitchen', 'in order')
  const held: (() => Promise<void>)[] = []
  await page.route('**/user_uploads', (route) => {
    if (route.request().postData()?.includes('first.png')) held.push(() => route.continue())
    else void route.continue()
  })
  await page.fill('#composer', 'Look:')
  await page.locator('.compose input[type=file]').setInputFiles([file('first.png'), file('second.png')])
  await page.locator('.upload:not(:has(progress))', { hasText: 'second.png' }).waitFor()
  assert.equal(await page.locator('.upload .pic').count(), 2)
  assert.equal(await page.inputValue('#composer'), 'Look:')
  await held[0]!()
  await page.locator('.upload:not(:has(progress))', { hasText: 'first.png' }).waitFor()
  assert.match(await page.inputValue('#composer'), /^Look:\n\[first\.png\]\S+\n\[second\.png\]\S+\n$/)
  await page.click('[aria-label="Remove first.png"]')
  assert.match(await page.inputValue('#composer'), /^Look:\n\[second\.png\]\S+\n$/)
  await page.press('#composer', 'Control+Enter')
  await page.locator('.uploads').waitFor({ state: 'detached' })
})

journey('a file dropped anywhere is taken, and the browser stays here', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'kitchen', 'dropping')
  const drag = (type: string, selector: string) =>
    page.locator(selector).evaluate((target, name) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'], 'dropped.txt'))
      const event = new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true })
      return !target.dispatchEvent(event) // prevented
    }, type)
  assert.equal(await drag('dragover', '.main'), true)
  await page.locator('.drop', { hasText: 'Drop to attach to dropping' }).waitFor()
  assert.equal(await drag('drop', '.side'), true)
  await page.locator('.upload', { hasText: 'dropped.txt' }).waitFor()
  await page.locator('.drop').waitFor({ state: 'detached' })
  await page.goto(`${demo.url}/#settings`)
  await page.waitForSelector('main')
  assert.equal(await drag('drop', 'main'), true)
})

journey('suggestions stand above the box, where the completed word begins, with faces', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'kitchen', 'completing')
  await page.locator('#composer').pressSequentially('A sentence of some length and @a')
  const list = page.locator('.completion')
  await list.locator('.avatar').first().waitFor()
  const [place, box] = [(await list.boundingBox())!, (await page.locator('.box').boundingBox())!]
  assert.ok(place.y + place.height <= box.y)
  assert.ok(place.x > box.x + 150 && place.x < box.x + 300, `${place.x - box.x}`)
  await page.keyboard.press('Enter')
  assert.match(await page.inputValue('#composer'), /and @\*\*Amir\|\d+\*\* $/)
})

journey('the second tab shows what the first one is sending', async ({ demo, signIn }) => {
  const first = await signIn('Marta')
  await openTopic(first, demo, 'kitchen', 'two tabs')
  const second = await first.context().newPage()
  await openTopic(second, demo, 'kitchen', 'two tabs')
  const held: (() => Promise<void>)[] = []
  await first.route('**/api/v1/messages', (route) => {
    if (route.request().method() === 'POST') held.push(() => route.continue())
    else void route.continue()
  })
  await send(first, 'On its way')
  await messageWith(second, 'On its way').and(second.locator('.pending')).waitFor()
  await held[0]!()
  await second.locator('article.msg:not(.pending)', { hasText: 'On its way' }).waitFor()
  assert.equal(await messageWith(second, 'On its way').count(), 1)
})

journey('a call begins with a link in the message, from the composer and the header', async ({ demo, signIn }) => {
  const owner = await demo.as('owner')
  await owner.call('updateRealm', { video_chat_provider: 1, jitsi_server_url: 'https://meet.example.com' } as never)
  const page = await signIn('Marta')
  await openTopic(page, demo, 'kitchen', 'calling')
  await page.click('.compose [aria-label="Start a video call"]')
  assert.match(
    await page.inputValue('#composer'),
    /^\[Join the video call\]\(https:\/\/meet\.example\.com\/[\w-]{20,}\) $/,
  )
  await page.fill('#composer', '')
  await page.click('header [aria-label="Start a video call"]')
  assert.match(await page.inputValue('#composer'), /meet\.example\.com/)
  await owner.call('updateRealm', { video_chat_provider: 0 } as never)
  await page.locator('[aria-label="Start a video call"]').first().waitFor({ state: 'detached' })
})

journey('one finds what one uploaded, with its message, and deletes it', async ({ demo, signIn }) => {
  const page = await signIn('Priya')
  await openTopic(page, demo, 'general', 'my files')
  await page.locator('.compose input[type=file]').setInputFiles([file('harbour.png'), file('unsent.png')])
  await page.locator('.upload:not(:has(progress))', { hasText: 'unsent.png' }).waitFor()
  const sent = (await page.inputValue('#composer')).split('\n').find((line) => line.includes('harbour.png'))!
  await send(page, sent)
  await page.locator('article.msg:not(.pending)', { hasText: 'harbour.png' }).waitFor()
  await page.goto(`${demo.url}/#settings/files`)
  const line = (name: string) => page.locator('.line-item', { hasText: name })
  await line('unsent.png').locator('text=Not sent').waitFor()
  await line('unsent.png').locator('button:has-text("Delete")').click()
  await page.click('dialog[open] button:has-text("Delete")')
  await line('unsent.png').waitFor({ state: 'detached' })
  await line('harbour.png').locator('a:has-text("Open message")').click()
  await page.locator('article.msg.linked', { hasText: 'harbour.png' }).waitFor()
})
