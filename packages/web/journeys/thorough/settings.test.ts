import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { until } from '../../../server/src/testing/until.ts'
import { journey } from '../journey.ts'
import {
  card,
  confirm,
  image,
  line,
  pick,
  stateOf,
  toast,
  trySelects,
  trySwitches,
  undo,
  visit,
  write,
} from '../settings-page.ts'

journey('profile: name, image, time zone and status are changed and restored', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const marta = await demo.as('member')
  const own = () => marta.call('getOwnUser', {})
  await visit(page, '#settings/profile')
  await write(page, 'Name', 'Marta Rossi')
  await toast(page, 'Saved')
  assert.equal((await own()).full_name, 'Marta Rossi')
  await undo(page)
  await until(async () => (await page.inputValue('main .text-line input')) === 'Marta')
  assert.equal((await own()).full_name, 'Marta')

  await page.setInputFiles('[aria-label="Image file"]', { ...image, buffer: Buffer.from('no image') })
  await page.waitForSelector('.toast.error')
  await page.setInputFiles('[aria-label="Image file"]', image)
  await toast(page, 'Image saved')
  await page.waitForSelector('main .line-item img')
  assert.ok((await own()).avatar_url)
  await line(page, 'Image').getByRole('button', { name: 'Remove' }).click()
  await toast(page, 'Image removed')
  await page.waitForSelector('main .line-item img', { state: 'detached' })

  await page.getByLabel('Time zone').selectOption('Europe/Lisbon') // from then on there is one to restore
  await toast(page, 'Saved')
  assert.deepEqual(await trySelects(page, async () => ({ ...(await own()) })), { 'Time zone': ['timezone'] })

  const status = async () => (await marta.call('getStatus', { path: { user_id: (await own()).user_id } })).status
  for (const [name, emoji] of [
    ['In a meeting', 'calendar'],
    ['Commuting', 'bus'],
    ['Out sick', 'sick'],
    ['On holiday', 'palm_tree'],
    ['Working remotely', 'house'],
  ] as const) {
    await card(page, 'Status').getByRole('button', { name }).click()
    await until(async () => (await card(page, 'Status').locator('input').inputValue()) === name)
    assert.equal((await status()).emoji_name, emoji)
  }
  await card(page, 'Status').locator('input').fill('Writing')
  await page.keyboard.press('Enter')
  await until(async () => (await status()).status_text === 'Writing')
  await card(page, 'Status').getByRole('button', { name: 'Clear' }).click()
  await until(async () => (await status()).status_text === undefined)
  await undo(page)
  await until(async () => (await status()).status_text === 'Writing')
})

journey('profile: fields of every kind are filled and emptied', async ({ demo, signIn }) => {
  const [olivia, ines] = [await demo.as('owner'), await demo.as('ines')]
  const fields = [
    { field_type: 1, name: 'Team' },
    { field_type: 2, name: 'Biography' },
    { field_type: 3, name: 'Office', field_data: { a: { text: 'Lisbon', order: '1' } } },
    { field_type: 4, name: 'Birthday' },
    { field_type: 5, name: 'Site' },
    { field_type: 8, name: 'Called' },
    { field_type: 6, name: 'Manager' },
  ] as const
  const ids: Record<string, number> = {}
  for (const field of fields) ids[field.name] = (await olivia.call('createProfileField', field)).id
  const { user_id: amir } = await (await demo.as('admin')).call('getOwnUser', {})
  const fieldValue = async (name: string) => (await ines.call('getOwnUser', {})).profile_data?.[ids[name]!]?.value
  const page = await signIn('Ines')
  await visit(page, '#settings/profile')
  const texts = {
    Team: 'Docs',
    Biography: 'Two\nlines',
    Birthday: '1990-02-03',
    Site: 'https://example.com',
    Called: 'she',
  }
  for (const [name, text] of Object.entries(texts)) {
    await write(page, name, text)
    await until(async () => (await fieldValue(name)) === text)
    await write(page, name, '')
    await until(async () => !(await fieldValue(name)))
  }
  await write(page, 'Site', 'not a link')
  await page.waitForSelector('.toast.error')
  assert.equal(await page.getByLabel('Site').inputValue(), 'not a link', 'what was refused can be corrected')
  await page.getByLabel('Office').selectOption('Lisbon')
  await until(async () => (await fieldValue('Office')) === 'a')
  await undo(page)
  await until(async () => !(await fieldValue('Office')))
  await pick(page, 'Add to Manager', 'Amir')
  await until(async () => (await fieldValue('Manager')) === JSON.stringify([amir]))
  await page.click('main .chip [aria-label="Remove Amir"]')
  await until(async () => !(await fieldValue('Manager')))
})

journey('a text that is changed again before the event of the first change arrives is saved', async (way) => {
  const amir = await way.demo.as('admin')
  const name = async () => (await amir.call('getOwnUser', {})).full_name
  const page = await way.signIn('Amir')
  await page.route('**/api/v1/events*', () => {}) // never answered
  await page.reload()
  await visit(page, '#settings/profile')
  for (const text of ['Amir II', 'Amir']) {
    await write(page, 'Name', text)
    await until(async () => (await name()) === text)
    assert.equal(await page.inputValue('main .text-line input'), text)
  }
})

journey('account: email, password, signing out and deactivating', async ({ demo, signIn, open }) => {
  const page = await signIn('Priya')
  await visit(page, '#settings/account')
  const email = card(page, 'Email')
  const changeEmail = async (text: string, password: string) => {
    await email.getByLabel('Email', { exact: true }).fill(text)
    await email.getByLabel('Your password').fill(password)
    await email.getByRole('button', { name: 'Save' }).click()
  }
  await changeEmail('priya@example.org', 'wrong')
  await email.getByText('Wrong password').waitFor()
  await changeEmail('priya@example.org', 'parley-demo')
  await toast(page, 'Check your email')
  await until(
    async () => (await page.getByRole('textbox', { name: 'Email', exact: true }).inputValue()) === 'priya@example.com',
  )
  const pending = email.locator('.line-item', { hasText: 'priya@example.org is not confirmed yet' })
  await pending.getByRole('button', { name: 'Send again' }).click()
  await toast(page, 'Sent again')
  await page.reload()
  await pending.getByRole('button', { name: 'Cancel' }).click()
  await toast(page, 'Your email stays as it is')
  await pending.waitFor({ state: 'detached' })
  assert.equal((await (await demo.as('priya')).call('getEmailChange')).email_change, null)

  const form = card(page, 'Password')
  const change = async (old: string, next: string, again: string) => {
    for (const [label, text] of Object.entries({
      'Current password': old,
      'New password': next,
      'New password again': again,
    }))
      await form.getByLabel(label, { exact: true }).fill(text)
    await form.getByRole('button').click()
  }
  await change('parley-demo', 'short', 'short')
  await form.getByText('Use at least').waitFor()
  await change('parley-demo', 'long enough 1', 'long enough 2')
  await form.getByText('The two passwords are different.').waitFor()
  await change('wrong', 'correct horse battery', 'correct horse battery')
  await form.getByText('Wrong password').waitFor()
  await change('parley-demo', 'correct horse battery', 'correct horse battery')
  await toast(page, 'Your password was changed')
  const signInWith = (password: string) =>
    page.request.post(`${demo.url}/api/v1/fetch_api_key`, { form: { username: 'priya@example.com', password } })
  assert.equal((await signInWith('parley-demo')).ok(), false)
  assert.ok((await signInWith('correct horse battery')).ok())
  await page.getByRole('button', { name: 'Sign out' }).click()
  await until(() => page.url().includes('/login'))
  assert.equal((await page.request.get(`${demo.url}/api/v1/users/me`)).status(), 401)

  const jonas = await demo.as('jonas')
  const other = await signIn('Jonas')
  await visit(other, '#settings/account')
  await confirm(other.getByRole('button', { name: 'Deactivate' }))
  await until(() => other.url().includes('/login'))
  await other.waitForLoadState()
  await assert.rejects(jonas.call('getOwnUser', {}))
  assert.deepEqual(await other.evaluate('indexedDB.databases()'), [], 'nothing stays on the device')
  await open(demo.url)
})

journey('appearance: every setting is saved, shown and undone', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const read = stateOf(await demo.as('member'), 'user_settings', 'user_settings')
  await visit(page, '#settings/appearance')
  assert.deepEqual(await trySwitches(page, read), {
    'More contrast': ['high_contrast_mode'],
    'Escape goes to the start screen': ['web_escape_navigates_to_home_view'],
    'Keep drafts with your account': ['enable_drafts_synchronization'],
    'Enter sends': ['enter_sends'],
    'Turn :) into 🙂': ['translate_emoticons'],
    'Names beside reactions': ['display_emoji_reaction_users'],
    'Count of starred messages': ['starred_message_counts'],
  })
  await page.evaluate(`document.querySelector('select[aria-label=Language]').disabled = true`) // see languages.test.ts
  assert.deepEqual(await trySelects(page, read), {
    'Text size': ['web_font_size_px'],
    'Time format': ['twenty_four_hour_time', 'web_clock'],
    'Start with': ['web_home_view'],
    'Open channels with': ['web_channel_default_view'],
    'Mark as read by scrolling': ['web_mark_read_on_scroll_policy'],
  })
  for (const [name, scheme] of [
    ['Dark', 2],
    ['Light', 3],
    ['Same as the system', 1],
  ] as const) {
    await page.click(`.theme:has-text("${name}")`)
    await page.waitForSelector(`.theme.on:has-text("${name}")`)
    assert.equal((await read()).color_scheme, scheme)
    if (scheme === 2) assert.equal(await page.getAttribute('html', 'data-theme'), 'dark')
  }
  for (const [name, percent] of [
    ['Compact', 122],
    ['Roomy', 160],
    ['Comfortable', 140],
  ] as const) {
    await page.getByRole('radio', { name }).click()
    await page.waitForSelector(`.btn:has(:checked):has-text("${name}")`)
    assert.equal((await read()).web_line_height_percent, percent)
  }
})

journey('notifications and privacy: every setting is saved, shown and undone', async ({ demo, signIn }) => {
  // The first quiet hours would set the time zone, too.
  await (await demo.as('member')).call('updateSettings', { timezone: 'Europe/Lisbon' })
  const page = await signIn('Marta')
  const read = stateOf(await demo.as('member'), 'user_settings', 'user_settings')
  await visit(page, '#settings/notifications')
  const matrix = (row: string, ...names: string[]) =>
    Object.fromEntries(
      ['Desktop', 'Sound', 'Phone', 'Email'].map((column, index) => [`${row}: ${column}`, [names[index]!]]),
    )
  const ways = ['desktop', 'audible', 'push', 'email']
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
  assert.deepEqual(await trySwitches(page, read), {
    ...Object.fromEntries(days.map((day) => [`Quiet hours on ${day}`, ['quiet_hours']])),
    'Others can see that my notifications are paused': ['show_notification_pauses'],
    ...matrix(
      'Direct messages and mentions',
      ...['enable_desktop_notifications', 'enable_sounds'],
      ...['enable_offline_push_notifications', 'enable_offline_email_notifications'],
    ),
    ...matrix('Topics you follow', ...ways.map((way) => `enable_followed_topic_${way}_notifications`)),
    ...matrix('All other channel messages', ...ways.map((way) => `enable_stream_${way}_notifications`)),
    'Mentions of everyone': ['wildcard_mentions_notify'],
    'Mentions of everyone in followed topics': ['enable_followed_topic_wildcard_mentions_notify'],
    'Show the text of direct messages': ['pm_content_in_desktop_notifications'],
    'Notify my phone even while I am active here': ['enable_online_push_notifications'],
    'Follow topics where I am mentioned': ['automatically_follow_topics_where_mentioned'],
    'Include the text of messages': ['message_content_in_email_notifications'],
    'Tell me about new sign-ins': ['enable_login_emails'],
  })
  assert.deepEqual(await trySelects(page, read), {
    Sound: ['notification_sound'],
    'Number on the icon and in the title': ['desktop_icon_count_display'],
    'Follow automatically': ['automatically_follow_topics_policy'],
    'Unmute topics in muted channels': ['automatically_unmute_topics_in_muted_streams_policy'],
    'Wait before sending': ['email_notifications_batching_period_seconds'],
  })
  await page.getByRole('button', { name: 'Play' }).click()

  await visit(page, '#settings/privacy')
  assert.deepEqual(await trySwitches(page, read), {
    'Show when you are online': ['presence_enabled'],
    'Show when you read a message': ['send_read_receipts'],
    'Show when you type in direct messages': ['send_private_typing_notifications'],
    'Show when you type in channels': ['send_stream_typing_notifications'],
    'Show when others type': ['receives_typing_notifications'],
    'Private messages may be exported': ['allow_private_data_export'],
  })
  assert.deepEqual(await trySelects(page, read), { 'Who sees your email': ['email_address_visibility'] })
})

journey('where the server sends no emails, the settings for them are disabled and say so', async ({ demo, open }) => {
  const page = await open(`${demo.url}/login`)
  await page.route('**/api/v1/register', async (route) => {
    const response = await route.fetch()
    const state = (await response.json()) as object
    await route.fulfill({ response, json: { ...state, server_sends_email_notifications: false } })
  })
  await page.click('.person:has-text("Amir")')
  await page.waitForSelector('.app')
  await visit(page, '#settings/notifications')
  await page.waitForSelector('text=This server does not send emails about messages.')
  assert.ok(await page.getByRole('checkbox', { name: 'Topics you follow: Email' }).isDisabled())
  assert.ok(await page.getByRole('checkbox', { name: 'Topics you follow: Desktop' }).isEnabled())
  assert.ok(await page.getByRole('switch', { name: 'Include the text of messages' }).isDisabled())
})

journey('a setting is found by what it is about, by keyboard', async ({ signIn }) => {
  const page = await signIn('Olivia')
  await visit(page, '#settings/profile')
  await page.keyboard.press('/')
  await page.keyboard.type('dark')
  const found = page.locator('.settings nav a')
  await until(async () => JSON.stringify(await found.allTextContents()) === '["Appearance"]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('h1:has-text("Appearance")')
  await page.keyboard.press('Escape')
  await until(async () => (await found.count()) > 10)
})

journey('on phones, controls do not squeeze their labels, and forms stay within their card', async (way) => {
  await (await way.demo.as('owner')).call('createChannelFolder', { name: 'x'.repeat(60) })
  const page = await way.signIn('Olivia', '#inbox', { viewport: { width: 390, height: 844 } })
  const widthOf = async (one: Locator) => (await one.boundingBox())!.width
  await visit(page, '#settings/notifications')
  assert.ok((await widthOf(line(page, 'Number on the icon and in the title').locator('b'))) > 100)
  for (const hash of ['#settings/bots', '#channels/new']) {
    await visit(page, hash)
    const form = page.locator('main form').first()
    assert.ok((await widthOf(form.locator('.select'))) <= (await widthOf(form)), hash)
  }
})

journey('the settings do not change how a new message looks', async ({ signIn }) => {
  const page = await signIn('Olivia')
  const width = async () => {
    await page.locator('body').press('c')
    const field = page.locator('dialog[open] [aria-label=Topic]')
    const box = await field.boundingBox()
    await field.press('Escape')
    return box!.width
  }
  const before = await width()
  await visit(page, '#settings/bots')
  await page.goto(page.url().replace(/#.*/, '#inbox'))
  await page.waitForSelector('.conv')
  assert.equal(await width(), before)
})

journey('the focus stays where it was after a dialog is cancelled and after a form is sent', async ({ signIn }) => {
  const page = await signIn('Olivia')
  const isFocused = (one: Locator) => until(() => one.evaluate((element) => element === document.activeElement))
  await visit(page, '#settings/account')
  const deactivate = page.getByRole('button', { name: 'Deactivate' })
  await deactivate.press('Enter')
  await page.locator('dialog[open]').getByRole('button', { name: 'Cancel' }).press('Enter')
  await isFocused(deactivate)
  await visit(page, '#settings/alert-words')
  await page.getByLabel('New word or phrase').fill('harbour')
  const add = page.getByRole('button', { name: 'Add', exact: true })
  await add.press('Enter')
  await toast(page, 'Saved')
  await isFocused(add)
})

journey('a text that is being written is saved when the page is left by going back', async ({ demo, signIn }) => {
  const priya = await demo.as('priya')
  const page = await signIn('Priya')
  await visit(page, '#settings/privacy')
  await visit(page, '#settings/profile')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Priya P.')
  await page.goBack()
  await toast(page, 'Saved')
  assert.equal((await priya.call('getOwnUser')).full_name, 'Priya P.')
  await undo(page)
})
