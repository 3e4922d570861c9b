import assert from 'node:assert/strict'
import { journey, messageWith, openTopic, send } from '../journey.ts'

const field = '[role=combobox][aria-label="Search messages"]'
const found = '#search-list .found'

journey('messages are found while the user types, and open where they were written', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await (await demo.as('jonas')).call('sendMessage', {
    type: 'stream',
    to: 'general',
    topic: 'harvest',
    content: 'The quinces are **ripe**.',
  })
  await page.keyboard.press('/')
  await page.fill(field, 'quinc')
  await page.locator(found, { hasText: 'The quinces are ripe.' }).waitFor()
  assert.equal(await page.locator(`${found} mark`).first().textContent(), 'quinc')
  await page.locator(found).first().click()
  await messageWith(page, 'The quinces are ripe.').waitFor()
  assert.match(page.url(), /topic\/harvest\/near\/\d+$/)
})

journey('operators are completed to chips, and the last one is removed with Backspace', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const jonas = await demo.as('jonas')
  for (const to of ['general', 'kitchen'])
    await jonas.call('sendMessage', { type: 'stream', to, topic: 'plums', content: `Plums in ${to}` })
  await page.keyboard.press('/')
  await page.fill(field, 'plums chan')
  await page.keyboard.press('Enter')
  await page.keyboard.type('kit')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.search .chip:has-text("channel: kitchen")')
  await page.waitForSelector(`${found}:has-text("Plums in kitchen")`)
  await page.waitForSelector('.search-status:empty')
  assert.equal(await page.locator(found, { hasText: 'Plums in general' }).count(), 0)
  await page.fill(field, '')
  await page.keyboard.press('Backspace')
  await page.waitForSelector('.search .chip', { state: 'detached' })
})

journey('a search starts in the open conversation and can be extended to everywhere', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'kitchen', 'lunch')
  await page.click('[aria-label="Search here"]')
  await page.waitForSelector('.search .chip:has-text("topic: lunch")')
  await page.fill(field, 'backticks')
  await page.click('.search-status >> text=Search everywhere')
  await page.waitForSelector(`${found}:has-text("backticks")`)
  await page.keyboard.press('Enter')
  await page.waitForURL(/#narrow\/search\/backticks$/)
  await messageWith(page, 'backticks').waitFor()
})

journey('without the server, a search shows what the client has, and can be repeated', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'kitchen', 'lunch')
  await messageWith(page, 'half past twelve').waitFor()
  await page.route('**/api/v1/messages?*', (route) => route.abort())
  await page.keyboard.press('/')
  await page.fill(field, 'twelve')
  await page.waitForSelector(`${found}:has-text("half past twelve")`)
  await page.waitForSelector('.search [role=alert]')
  await page.unroute('**/api/v1/messages?*')
  await page.click('.search [role=alert] button')
  await page.waitForSelector('.search [role=alert]', { state: 'detached' })
})

journey('the palette leads to topics and settings, and does what keys do', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'palette')
  await send(page, 'Something')
  await page.keyboard.press('Escape')
  const choose = async (text: string, entry: string) => {
    await page.keyboard.press('Control+k')
    await page.fill('.palette input', text)
    await page.click(`.palette [role=option]:has-text("${entry}")`)
  }
  await choose('palet', 'Topic in #general')
  await page.waitForURL(/topic\/palette$/)
  await choose('appear', 'Appearance')
  await page.waitForURL(/#settings\/appearance$/)
  await choose('keyb', 'Keyboard')
  await page.waitForSelector('dialog[aria-label*="eyboard"]')
})

journey('screen readers hear what arrives, and only how much if it is a lot', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'arrivals')
  await send(page, 'First')
  const jonas = await demo.as('jonas')
  const write = (content: string) =>
    jonas.call('sendMessage', { type: 'stream', to: 'general', topic: 'arrivals', content })
  await write('Hello *there*')
  await page.waitForSelector('[role=log]:has-text("Jonas: Hello there")', { state: 'attached' })
  for (const content of ['one', 'two', 'three', 'four']) await write(content)
  await page.waitForFunction(() => /^\d new messages$/.test(document.querySelector('[role=log]')?.textContent ?? ''))
})

journey('a link to a message that was moved leads to where it is now', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  const place = { type: 'stream', to: 'general', topic: 'old name' } as const
  const { id } = await olivia.call('sendMessage', { ...place, content: 'here I am' })
  await olivia.call('editMessage', { path: { message_id: id }, topic: 'new name', propagate_mode: 'change_all' })
  const { stream_id } = await olivia.call('getChannelId', { stream: 'general' })
  const page = await signIn('Marta')
  for (const [word, name] of [
    ['with', 'general'],
    ['near', 'x'],
  ]) {
    await page.goto(`${demo.url}/#narrow/channel/${stream_id}-${name}/topic/old.20name/${word}/${id}`)
    await page.waitForSelector('h1:has-text("new name")')
    await page.waitForSelector('article.msg:has-text("here I am")')
    await page.goBack()
    await page.waitForSelector('h1:has-text("Inbox")')
  }
})

journey('a link to a direct message works for the other person too', async ({ demo, signIn }) => {
  const olivia = await demo.as('owner')
  const idOf = async (name: string) => (await (await demo.as(name)).call('getOwnUser', {})).user_id
  const [marta, gil] = [await idOf('member'), await idOf('guest')]
  const write = (content: string, ...to: number[]) => olivia.call('sendMessage', { type: 'direct', to, content })
  const { id: toOne } = await write('for one', marta)
  const { id: toBoth } = await write('for both', marta, gil)
  const page = await signIn('Marta')
  await page.goto(`${demo.url}/#narrow/dm/${marta}-dm/near/${toOne}`)
  await page.waitForSelector('h1:has-text("Olivia")')
  await messageWith(page, 'for one').waitFor()
  await page.goto(`${demo.url}/#narrow/dm/${marta},${gil}-dm/near/${toBoth}`)
  await page.waitForSelector('h1:has-text("Olivia, Gil")')
  await messageWith(page, 'for both').waitFor()
})

journey('Enter that ends the composition of a character chooses nothing', async ({ signIn }) => {
  const page = await signIn('Marta')
  const enter = (isComposing: boolean) =>
    page.evaluate((composing) => {
      const press = { key: 'Enter', bubbles: true, cancelable: true, isComposing: composing }
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', press))
    }, isComposing)
  for (const key of ['Control+k', '/']) {
    await page.keyboard.press(key)
    await page.fill('.palette input', 'kitchen')
    await enter(true)
    assert.equal(await page.inputValue('.palette input'), 'kitchen')
    await enter(false)
    await page.waitForSelector('.palette', { state: 'detached' })
    await page.goto('about:blank')
    await page.goBack()
    await page.waitForSelector('.app')
  }
})

journey('the palette says that nobody was found, and shows what the arrow keys choose', async ({ signIn }) => {
  const page = await signIn('Marta', '#inbox', { viewport: { width: 1280, height: 360 } })
  await page.keyboard.press('w')
  await page.waitForSelector('.palette input')
  await page.keyboard.type('nobody')
  await page.keyboard.press('ArrowDown')
  await page.waitForSelector('.palette [role=status]:has-text("Nothing found")')
  await page.fill('.palette input', '')
  for (let step = 0; step < 11; step++) await page.keyboard.press('ArrowDown')
  const row = page.locator('.palette [aria-selected=true]')
  const isVisible = await row.evaluate((one) => {
    const { bottom } = one.getBoundingClientRect()
    return bottom <= innerHeight && one.contains(document.elementFromPoint(innerWidth / 2, bottom - 4))
  })
  assert.ok(isVisible)
})
