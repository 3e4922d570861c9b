import assert from 'node:assert/strict'
import type { Page, Route } from 'playwright-core'
import { until } from '../../server/src/testing/until.ts'
import { journey, messageWith, openTopic, say, send } from './journey.ts'

/** Pages of the settings have no `.app`. */
async function settings(page: Page, hash: string): Promise<Page> {
  await page.goto(`${new URL(page.url()).origin}/#${hash}`)
  await page.waitForSelector('.settings main')
  return page
}

journey(
  'a topic is moved to a channel that is completed, and a link leads to where it went',
  async ({ demo, signIn }) => {
    const page = await signIn('Amir')
    await openTopic(page, demo, 'general', 'wrong place')
    await send(page, 'This belongs elsewhere')
    await messageWith(page, 'This belongs elsewhere').and(page.locator(':not(.pending)')).waitFor()
    await openTopic(page, demo, 'general', 'another')
    await page.locator('.side .topics a', { hasText: 'wrong place' }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Move' }).click()
    await page.getByLabel('Channel', { exact: true }).fill('visit')
    await page.keyboard.press('Enter')
    await page.locator('dialog').getByRole('button', { name: 'Move' }).click()
    await page.locator('.toast a', { hasText: 'Go there' }).click()
    await page.waitForSelector('#composer[placeholder*="#visitors"]')
    await messageWith(page, 'This belongs elsewhere').waitFor()
  },
)

journey(
  "the viewer's name has a menu: a status with an emoji and an end, the theme, and signing out",
  async ({ demo, signIn }) => {
    const page = await signIn('Jonas')
    const menu = async (name: string) => {
      await page.locator('.me-name').click()
      await page.getByRole('menuitem', { name }).click()
    }
    await menu('Set a status')
    await page.getByRole('dialog').getByRole('button', { name: 'Commuting' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Status' }).fill('On the train')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.locator('.me', { hasText: /On the train until / }).waitFor()
    const jonas = await demo.as('jonas')
    const { user_id } = await jonas.call('getOwnUser')
    const { status } = await jonas.call('getStatus', { path: { user_id } })
    assert.deepEqual([status.status_text, status.emoji_name], ['On the train', 'bus'])
    const minutes = (status.scheduled_end_time! - Date.now() / 1000) / 60
    assert.ok(minutes > 20 && minutes <= 30)
    await menu('Set a status')
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
    await page.locator('.me', { hasText: 'On the train' }).waitFor({ state: 'detached' })
    await menu('Dark theme')
    await page.waitForSelector('[data-theme=dark]')
    await menu('Light theme')
    await page.waitForSelector('[data-theme=light]')
    await menu('Sign out')
    await page.waitForURL(/\/login/)
  },
)

journey(
  "a person's card is a popover with the channels in common, and Escape closes only it",
  async ({ demo, signIn }) => {
    const page = await signIn('Marta')
    await openTopic(page, demo, 'general', 'release notes')
    await page.locator('.person-name', { hasText: 'Priya' }).first().click()
    const card = page.locator('.person-card')
    await card.getByRole('link', { name: 'general' }).waitFor()
    assert.equal(await page.locator('dialog[open]').count(), 0)
    const hash = await page.evaluate(() => location.hash)
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    assert.equal(await page.evaluate(() => location.hash), hash)
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'person-name')
  },
)

journey('the palette has actions, also for the open topic', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'kitchen', 'palette')
  await send(page, 'Do we have enough?')
  await messageWith(page, 'Do we have enough?').and(page.locator(':not(.pending)')).waitFor()
  await page.keyboard.press('Control+k')
  await page.fill('.palette input', 'resol')
  await page.getByRole('option', { name: 'Resolve' }).click()
  await page.getByRole('img', { name: 'Resolved' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('dark th', { delay: 30 }) // without waiting for the palette
  assert.equal(await page.inputValue('.palette input'), 'dark th')
  await page.getByRole('option', { name: 'Dark theme' }).click()
  await page.waitForSelector('[data-theme=dark]')
})

journey('the sign-in page says that the session was ended elsewhere', async ({ demo, signIn }) => {
  const page = await signIn('Priya')
  const priya = await settings(await signIn('Priya'), 'settings/sessions')
  await priya.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await priya.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.waitForURL(/login/)
  await page.getByRole('status').filter({ hasText: 'You have been signed out' }).waitFor()
  await page.goto(`${demo.url}/login`)
  assert.equal(await page.getByRole('status').count(), 0)
})

journey('nothing is offered that does nothing or is not allowed', async ({ demo, signIn }) => {
  const guest = await signIn('Gil')
  await guest.locator('.side section').first().waitFor()
  assert.equal(await guest.getByRole('button', { name: 'New channel' }).count(), 0)
  const member = await settings(await signIn('Marta'), 'settings/sessions')
  await member.locator('input[name=scope]').first().waitFor()
  assert.equal(await member.locator('input[value=administer]').count(), 0)
  const owner = await demo.as('owner')
  await owner.call('addPlayground', {
    name: 'Bench',
    pygments_language: 'JavaScript',
    url_template: 'https://bench.example/?code={code}',
  })
  await openTopic(member, demo, 'kitchen', 'code')
  await send(member, '```js\nadd(1, 2)\n```')
  const link = member.getByRole('link', { name: 'Bench' })
  assert.equal(await link.getAttribute('href'), 'https://bench.example/?code=add(1%2C%202)')
})

journey('a new group gets its members at once, and the own role asks before it changes', async ({ demo, signIn }) => {
  const page = await settings(await signIn('Olivia'), 'groups')
  await page.getByLabel('Name').fill('harbour')
  await page.getByRole('combobox', { name: 'Add another person' }).fill('Pri')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.waitForURL(/#groups\/\d+/)
  const groups = await (await demo.as('owner')).call('getUserGroups')
  assert.equal(groups.user_groups.find(({ name }) => name === 'harbour')?.members.length, 2)
  await page.goto(`${demo.url}/#organization/members`)
  await page.getByLabel('Role of Olivia').selectOption('Member')
  await page
    .getByRole('dialog', { name: /Change your own role/ })
    .getByRole('button', { name: 'Cancel' })
    .click()
  await page.getByText('Olivia (you)').waitFor()
  const [role] = (await (await demo.as('owner')).call('getUsers')).members.filter((one) => one.full_name === 'Olivia')
  assert.equal(role?.role, 100)
})

journey('a switch answers at once, and goes back if the change is refused', async ({ signIn }) => {
  const page = await settings(await signIn('Ines'), 'settings/privacy')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/v1/settings', async (route) => {
    await released
    await route.fulfill({ status: 400, json: { result: 'error', msg: 'Not now', code: 'BAD_REQUEST' } })
  })
  const one = page.getByRole('switch').first()
  const before = await one.getAttribute('aria-checked')
  const is = (value: string | null) => page.locator(`[role=switch][aria-checked=${value}] >> nth=0`).and(one).waitFor()
  await one.click()
  await is(before === 'true' ? 'false' : 'true')
  release()
  await is(before)
  await page.locator('.toast', { hasText: 'Not now' }).waitFor()
})

journey('choices answer before the server does, and go back if it refuses', async ({ signIn }) => {
  const page = await settings(await signIn('Ines'), 'settings/appearance')
  let asked = Promise.withResolvers<Route>()
  await page.route('**/api/v1/settings', (route) => asked.resolve(route))
  const density = page.getByRole('radio', { name: 'Compact' })
  const size = page.getByLabel('Text size')
  const controls = [
    { name: 'density', act: () => density.click(), isOn: () => density.isChecked() },
    { name: 'size', act: () => size.selectOption('0'), isOn: async () => (await size.inputValue()) === '0' },
  ]
  for (const { name, act, isOn } of controls) {
    const was = await isOn()
    asked = Promise.withResolvers()
    await act()
    assert.equal(await isOn(), !was)
    const msg = `No other ${name}`
    await (await asked.promise).fulfill({ status: 400, json: { result: 'error', msg, code: 'BAD_REQUEST' } })
    await page.locator('.toast', { hasText: msg }).waitFor()
    await until(async () => (await isOn()) === was)
  }
})

journey('the audit log says in each row what was changed', async ({ demo, signIn }) => {
  const owner = await demo.as('owner')
  await owner.call('updateRealm', { description: 'Quiet harbour' })
  const page = await settings(await signIn('Olivia'), 'organization/audit-log')
  await page.locator('.audit-entry summary', { hasText: /description: .* → Quiet harbour/ }).waitFor()
})

journey(
  'a date leads to the first message on that day or after it, from the header and the palette',
  async (context) => {
    const { demo, signIn } = context
    await say(demo, 'jonas', 'long ago', ['from March', 'from April', 'from May'])
    await demo.sql(`update messages set date_sent = '2026-01-10'`)
    for (const month of ['03', '04', '05'])
      await demo.sql(`update messages set date_sent = '2026-${month}-10' where content like $1`, [
        `from ${{ '03': 'March', '04': 'April', '05': 'May' }[month]}%`,
      ])
    const page = await signIn('Marta')
    await openTopic(page, demo, 'general', 'long ago')
    const jump = async (day: string) => {
      await page.getByRole('dialog').getByLabel('Day').fill(day)
      await page.getByRole('dialog').getByRole('button', { name: 'Go' }).click()
    }
    await page.locator('.bar').getByRole('button', { name: 'Jump to a date' }).click()
    await jump('2026-03-20')
    await page.locator('article.linked', { hasText: 'from April' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('jump to a date')
    await page.keyboard.press('Enter')
    await jump('2100-01-01')
    await page.getByRole('alert').getByText('There is no message on this day or after it.').waitFor()
    await jump('2026-05-01')
    await page.locator('article.linked', { hasText: 'from May' }).waitFor()
  },
)

journey(
  'the focus goes to the next row when its own is removed, else to the previous one, else to the heading',
  async ({ demo, signIn }) => {
    const page = await settings(await signIn('Marta'), 'settings/alert-words')
    await (await demo.as('member')).call('addAlertWords', { alert_words: ['one', 'two', 'three'] })
    const focused = () => page.evaluate(`document.activeElement.ariaLabel ?? document.activeElement.textContent`)
    const remove = (word: string) => page.getByRole('button', { name: `Remove ${word}`, exact: true })
    const words = ['one', 'two', 'three']
    await remove('three').waitFor()
    const order = await page.locator('main .line-item b').allTextContents()
    assert.deepEqual(order.toSorted(), words.toSorted())
    await remove(order[1]!).focus()
    for (const next of [`Remove ${order[2]}`, `Remove ${order[0]}`, 'Alert words']) {
      await page.keyboard.press('Enter')
      await until(async () => (await focused()) === next)
    }
  },
)

journey('a row of the inbox that is done gives the focus to the next one', async ({ demo, signIn }) => {
  for (const topic of ['first row', 'second row', 'third row']) await say(demo, 'jonas', topic, ['Look at this'])
  const page = await signIn('Ines')
  const done = (topic: string) =>
    page.locator('.conv', { hasText: topic }).getByRole('button', { name: 'Mark as read' })
  const names = (await page.locator('.conv b').allTextContents()).filter((name) => name.endsWith(' row'))
  await done(names[0]!).focus()
  await page.keyboard.press('Enter')
  await page.locator('.conv', { hasText: names[0]! }).waitFor({ state: 'detached' })
  await until(() => page.evaluate(`document.activeElement.closest('.conv') !== null`) as Promise<boolean>)
})

journey('the focus goes to a row that came after the removed one got it', async ({ demo, signIn }) => {
  const page = await settings(await signIn('Ines'), 'settings/alert-words')
  const ines = await demo.as('ines')
  const remove = (word: string) => page.getByRole('button', { name: `Remove ${word}`, exact: true })
  await ines.call('addAlertWords', { alert_words: ['early'] })
  await remove('early').focus()
  await ines.call('addAlertWords', { alert_words: ['late'] })
  await remove('late').waitFor()
  await page.keyboard.press('Enter')
  await until(() => remove('late').evaluate((one) => one === document.activeElement))
})

journey('a section that was folded can be unfolded in the rail', async ({ signIn }) => {
  const page = await signIn('Ines')
  const fold = page.locator('.side').getByRole('button', { name: 'Channels', exact: true })
  const channel = page.locator('.side').getByRole('link', { name: 'general' }).first()
  await fold.click()
  await channel.waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 1000, height: 800 })
  await fold.click()
  await channel.waitFor()
  await fold.blur()
  await fold.waitFor({ state: 'hidden' })
})

journey('the filter of the sidebar looks like a field before the settings were opened', async ({ signIn }) => {
  const page = await signIn('Marta')
  const filter = page.getByRole('searchbox', { name: 'Filter channels' })
  assert.notEqual(await filter.evaluate((one) => getComputedStyle(one).boxShadow), 'none')
})

journey('a row of the inbox shows no face before its message is loaded', async ({ demo, signIn }) => {
  await say(demo, 'admin', 'faces', ['Not loaded yet'])
  const page = await signIn('Marta', '#drafts')
  await page.route('**/api/v1/messages?*', () => {})
  await page.evaluate(() => {
    window.location.hash = '#inbox'
  })
  const row = page.locator('.conv', { hasText: 'faces' })
  assert.equal(await row.locator('.avatar').textContent(), '')
})
