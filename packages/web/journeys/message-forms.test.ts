import assert from 'node:assert/strict'
import { journey, messageWith, openTopic, say, send } from './journey.ts'

const textFile = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('1961') })

journey('tasks in a list have checkboxes', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'tasks', ['- [ ] Buy **bread**\n- [x] Call\n- plain'])
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'tasks')
  const boxes = messageWith(page, 'Call').locator('li input[type=checkbox]')
  await boxes.nth(1).waitFor()
  assert.deepEqual(await boxes.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).checked)), [false, true])
  assert.deepEqual(await messageWith(page, 'Call').locator('li').allTextContents(), ['Buy bread', 'Call', 'plain'])
})

journey('long code does not hold the wheel, and is shown whole by a button', async ({ demo, signIn }) => {
  const code = Array.from({ length: 80 }, (_, n) => `line(${n})`).join('\n')
  await say(demo, 'admin', 'long code', [`\`\`\`python\n${code}\n\`\`\``, 'The end'])
  for (const options of [{}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]) {
    const page = await signIn('Marta', '#inbox', options)
    await openTopic(page, demo, 'general', 'long code')
    const pre = page.locator('article.msg pre')
    const whole = page.locator('.whole-code')
    await whole.filter({ hasText: 'Show all' }).waitFor()
    const height = (await pre.boundingBox())!.height
    assert.ok(height < 860 * 0.61)
    assert.equal(await pre.evaluate((one) => getComputedStyle(one).overflowY), 'hidden')
    const copy = (await page.locator('.copy-code').boundingBox())!
    assert.ok(copy.y < (await pre.boundingBox())!.y + 20, 'stands at the top')
    await whole.click()
    await whole.filter({ hasText: 'Show less' }).waitFor()
    assert.ok((await pre.boundingBox())!.height > height + 500)
  }
})

journey('who voted is shown by a button, not only by pictures', async ({ demo, signIn }) => {
  const amir = await demo.as('admin')
  const content = '/poll When?\nMonday\nTuesday'
  const { id } = await amir.call('sendMessage', { type: 'stream', to: 'general', topic: 'voters', content })
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'voters')
  await page.waitForSelector('.poll')
  assert.equal(await page.locator('.voters').count(), 0)
  const vote = JSON.stringify({ type: 'vote', key: 'canned,0', vote: 1 })
  await amir.call('addSubmessage', { message_id: id, msg_type: 'widget', content: vote })
  await page.click('.voters summary')
  await page.locator('.voters div', { hasText: 'Monday' }).locator('dd', { hasText: 'Amir' }).waitFor()
})

journey('where earlier history is hidden, a line says so', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  await olivia.call('subscribe', {
    subscriptions: [{ name: 'board' }],
    principals: ['owner@example.com', 'member@example.com'],
    invite_only: true,
    history_public_to_subscribers: false,
  } as never)
  await olivia.call('sendMessage', { type: 'stream', to: 'board', topic: 'begin', content: 'Welcome' })
  const page = await signIn('Marta')
  await openTopic(page, demo, 'board', 'begin')
  await page.locator('.history-start', { hasText: 'after you joined' }).waitFor()
  await say(demo, 'admin', 'open', ['Everyone reads this'])
  await openTopic(page, demo, 'general', 'open')
  await messageWith(page, 'Everyone reads').waitFor()
  assert.equal(await page.locator('.history-start').count(), 0)
})

journey('a link to a message is shown as a card and stays in this window', async ({ demo, signIn }) => {
  const amir = await demo.as('admin')
  const place = { type: 'stream', to: 'general', topic: 'decided' } as const
  const { id } = await amir.call('sendMessage', { ...place, content: 'We **decided** it' })
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'decided')
  const own = await messageWith(page, 'We decided').locator('time a').getAttribute('href')
  const url = `${demo.url}/${own}`
  await say(demo, 'admin', 'linking', [`See ${url}`])
  await openTopic(page, demo, 'general', 'linking')
  const card = page.locator('article.msg a.card-quote')
  await card.filter({ hasText: /Amir.*We decided it.*#general › decided/ }).waitFor()
  assert.equal((await card.boundingBox())!.height, 88)
  assert.equal(await page.locator('.text a').getAttribute('target'), null)
  await page.locator('.text a').click()
  await page.locator(`article.msg.linked[data-message-id="${id}"]`).waitFor()
})

journey(
  'a file that ends its line is shown as a card, and one inside a sentence stays a link',
  async ({ demo, signIn }) => {
    const page = await signIn('Marta')
    await openTopic(page, demo, 'general', 'files')
    await page.locator('.compose input[type=file]').setInputFiles([textFile('tides.csv'), textFile('notes.txt')])
    await page.waitForFunction(() =>
      (document.querySelector('#composer') as HTMLTextAreaElement).value.includes('notes.txt'),
    )
    const [tides, notes] = (await page.inputValue('#composer')).trim().split('\n')
    await send(page, `Both:\n${tides}\n${notes}\nThe file ${notes} is for you`)
    const sent = page.locator('article.msg:not(.pending)', { hasText: 'Both:' })
    const cards = sent.locator('a.file-card')
    await cards.nth(1).waitFor()
    assert.deepEqual(await cards.allTextContents(), ['tides.csv', 'notes.txt'])
    const kindOf = (one: Element) => getComputedStyle(one, '::before').content
    assert.match(await cards.first().evaluate(kindOf), /csv/)
    const [first, second] = await Promise.all([cards.first().boundingBox(), cards.last().boundingBox()])
    assert.ok(first!.height >= 56 && second!.y - first!.y - first!.height < 12, 'cards stand below each other')
    await sent.getByText('is for you').locator('a:not(.file-card)', { hasText: 'notes.txt' }).waitFor()
  },
)

journey('a spoiler without a title is called one', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'secrets', ['```spoiler\nThe end\n```'])
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'secrets')
  await page.locator('.spoiler-header', { hasText: 'Spoiler' }).waitFor()
})
