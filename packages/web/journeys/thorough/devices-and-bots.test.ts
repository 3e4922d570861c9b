import assert from 'node:assert/strict'
import type { Bot } from '@parley/api/delivery/bots'
import { demoPassword } from '../../../server/src/demo/sample-content.ts'
import { newReceiver } from '../../../server/src/testing/peers/receiver.ts'
import { until } from '../../../server/src/testing/until.ts'
import { journey } from '../journey.ts'
import { card, confirm, line, pick, stateOf, toast, undo, visit } from '../settings-page.ts'

journey('devices and tokens: other devices are signed out, tokens created and revoked', async ({ demo, signIn }) => {
  const page = await signIn('Mei')
  const others = [await signIn('Mei'), await signIn('Mei')]
  const isIn = async (other: (typeof others)[0]) => (await other.request.get(`${demo.url}/api/v1/users/me`)).ok()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await visit(page, '#settings/sessions')
  const where = card(page, 'Where you are signed in')
  await until(async () => (await where.getByRole('button', { name: 'Sign out', exact: true }).count()) === 2)
  await where.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await toast(page, 'Signed out there')
  await until(async () => (await where.locator('.line-item').count()) === 2)
  assert.equal((await Promise.all(others.map(isIn))).filter(Boolean).length, 1)

  const form = card(page, 'Tokens')
  await form.getByLabel('What is it for?').fill('Backup')
  await form.getByLabel('Read', { exact: false }).first().uncheck()
  await form.getByRole('button', { name: 'Create token' }).click()
  await form.getByText('Choose at least one thing').waitFor()
  await form.getByLabel('Read').first().check()
  await form.getByLabel('Expires').selectOption('Never')
  await form.getByRole('button', { name: 'Create token' }).click()
  await form.getByText('Confirm this with your password.').waitFor()
  await form.getByLabel('Your password').fill(demoPassword)
  await form.getByRole('button', { name: 'Create token' }).click()
  await form.getByRole('button', { name: 'Copy' }).click()
  await toast(page, 'Copied')
  const token = await page.evaluate(() => navigator.clipboard.readText())
  const me = () => fetch(`${demo.url}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } })
  assert.ok((await me()).ok)
  await line(form, 'Backup').waitFor()
  await confirm(line(form, 'Backup').getByRole('button', { name: 'Revoke' }))
  await toast(page, 'Revoked')
  await form.getByText('No tokens yet').waitFor()
  assert.equal((await me()).status, 401)

  await form.getByLabel('What is it for?').fill('Helper')
  await form.getByRole('switch', { name: 'For an AI agent' }).click()
  await form.getByLabel('Send').check()
  await pick(page, 'Add a channel', 'general')
  await form.getByLabel('Messages per hour').fill('5')
  await form.getByLabel('Your password').fill(demoPassword)
  await form.getByRole('button', { name: 'Create token' }).click()
  await line(form, 'Helper').getByText('For an AI agent').waitFor()
  await confirm(line(form, 'Helper').getByRole('button', { name: 'Revoke' }))
  await form.getByText('No tokens yet').waitFor()

  await confirm(page.getByRole('button', { name: 'Sign out everywhere else' }))
  await toast(page, 'Signed out everywhere else')
  await page.getByRole('dialog', { name: 'What still has access' }).getByText('Nothing else has access.').waitFor()
  await page.keyboard.press('Escape')
  await until(async () => (await where.locator('.line-item').count()) === 1)
  assert.deepEqual(await Promise.all(others.map(isIn)), [false, false])
  assert.ok(await isIn(page))
})

journey('bots: created, renamed, given a new key, deactivated; deliveries are sent again', async ({ demo, signIn }) => {
  const page = await signIn('Amir')
  const amir = await demo.as('admin')
  const bots = stateOf(amir, 'realm_bot')
  const bot = async () => ((await bots()).realm_bots as Bot[])[0]!
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await visit(page, '#settings/bots')
  const form = card(page, 'New bot')
  const receiver = await newReceiver((response, _request, count) => response.writeHead(count > 1 ? 200 : 400).end('{}'))
  await form.getByLabel('Name', { exact: true }).fill('Deploy')
  await form.getByLabel('Username').fill('deploy')
  await form.getByLabel('Kind of bot').selectOption({ index: 2 })
  await form.getByLabel('URL').fill('https://example.com/old')
  await form.getByRole('button', { name: 'Create bot' }).click()
  /** The server asks for the password before a session gets a key, or sends the secrets of the bot elsewhere. */
  const enterPassword = async () => {
    const dialog = page.getByRole('dialog', { name: 'Confirm with your password' })
    await dialog.getByLabel('Your password').fill(demoPassword)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await enterPassword()
  const created = await form.getByLabel('API key of Deploy').inputValue()
  const own = card(page, 'Your bots')
  await line(own, 'Deploy').getByRole('button', { name: 'Manage' }).click()
  await form.getByLabel('Name', { exact: true }).fill('Deploy')
  await form.getByLabel('Username').fill('deploy')
  await form.getByLabel('URL').fill('https://example.com/old')
  await form.getByRole('button', { name: 'Create bot' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm with your password' })
  await dialog.getByLabel('Your password').fill(demoPassword)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.locator('[role=alert]').waitFor() // the name is taken
  await page.keyboard.press('Escape')

  const url = `http://127.0.0.1:${receiver.port}/hook`
  await own.getByLabel('Name', { exact: true }).fill('Deployer')
  await page.keyboard.press('Enter')
  await line(own, 'Deployer').waitFor()
  await undo(page)
  await line(own, 'Deploy').waitFor()
  await own.locator('input[type=url]').fill(url)
  await page.keyboard.press('Enter')
  await enterPassword()
  await until(async () => JSON.stringify(await bot()).includes(url))
  await own.getByLabel('Reactions').check()
  await own.getByLabel('New topics').check()
  await own.getByLabel('Mention').uncheck()
  await pick(page, 'Add a channel', 'general')
  await own.getByRole('switch', { name: 'One at a time, in order' }).click()
  await until(async () => {
    const { triggers, channel_ids, in_order } = (await bot()).services[0]!
    return triggers.join() === 'direct_message,topic_started,reaction' && channel_ids?.length === 1 && in_order
  })
  await own.getByRole('button', { name: 'Show key' }).click()
  await enterPassword()
  const key = own.getByLabel('API key of Deploy')
  const before = await key.inputValue()
  assert.equal(before, created)
  await own.getByRole('button', { name: 'Copy' }).first().click()
  await toast(page, 'Copied')
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), before)
  await confirm(own.getByRole('button', { name: 'New key' }))
  await enterPassword()
  await until(async () => (await key.inputValue()) !== before)
  assert.equal(
    (await amir.call('getBotApiKey', { path: { bot_id: (await bot()).user_id } })).api_key,
    await key.inputValue(),
  )

  await amir.call('sendMessage', { type: 'direct', to: [(await bot()).user_id], content: 'deploy' })
  /** Deliveries are shown as they were when the list was loaded. */
  const shows = (status: string) =>
    until(async () => {
      await own.getByRole('button', { name: 'Refresh' }).click()
      return (await line(own, status).count()) > 0
    })
  await shows('✕ failed')
  await line(own, '✕ failed').getByRole('button', { name: 'Send again' }).click()
  await shows('✓ delivered')
  assert.equal(receiver.requests.length, 2)

  await confirm(own.getByRole('button', { name: 'Deactivate' }))
  await own.getByText('This bot is deactivated').waitFor()
  await undo(page)
  await own.getByRole('button', { name: 'New key' }).waitFor()
  await confirm(own.getByRole('button', { name: 'Deactivate' }))
  await own.getByRole('button', { name: 'Reactivate' }).click()
  await own.getByRole('button', { name: 'New key' }).waitFor()
  assert.equal((await bot()).is_active, true)
})

journey('the API key is replaced and shown once', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const marta = await demo.as('member')
  await visit(page, '#settings/bots')
  await page.getByLabel('Your password').fill(demoPassword)
  await page.getByRole('button', { name: 'Generate' }).click()
  await page.getByText('Copy the key now').waitFor()
  const key = await page.getByLabel('New API key').inputValue()
  await assert.rejects(marta.call('getOwnUser', {}))
  const authorization = `Basic ${Buffer.from(`member@example.com:${key}`).toString('base64')}`
  assert.ok((await fetch(`${demo.url}/api/v1/users/me`, { headers: { authorization } })).ok)
})

journey('muted people, followed topics and alert words', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  const marta = await demo.as('member')
  const state = stateOf(marta, 'muted_users')
  const muted = async () => ((await state()).muted_users as unknown[]).length
  await visit(page, '#settings/muted')
  await pick(page, 'Mute a person', 'Gil')
  await line(page, 'Gil').waitFor()
  assert.equal(await muted(), 1)
  await undo(page)
  await page.getByText('You have not muted anyone').waitFor()
  await pick(page, 'Mute a person', 'Gil')
  await line(page, 'Gil').getByRole('button', { name: 'Unmute' }).click()
  await page.getByText('You have not muted anyone').waitFor()
  assert.equal(await muted(), 0)

  const { stream_id } = await marta.call('getChannelId', { stream: 'general' })
  await marta.call('setTopicPolicy', { stream_id, topic: 'hello', visibility_policy: 3 })
  const policy = page.getByLabel('hello is')
  const topics = stateOf(marta, 'user_topic')
  const policyNow = async () => {
    const list = (await topics()).user_topics as { topic_name: string; visibility_policy: number }[]
    return list.find(({ topic_name }) => topic_name === 'hello')?.visibility_policy
  }
  await policy.selectOption('Muted')
  await toast(page, 'Saved')
  assert.equal(await policyNow(), 1)
  await undo(page)
  await until(async () => (await policyNow()) === 3)
  await policy.selectOption('Same as the channel')
  await policy.waitFor({ state: 'detached' })
  assert.equal(await policyNow(), undefined)

  await visit(page, '#settings/alert-words')
  const words = async () => (await marta.call('getAlertWords')).alert_words
  const add = async (word: string) => {
    await page.getByLabel('New word or phrase').fill(word)
    await page.getByRole('button', { name: 'Add', disabled: false }).click()
  }
  await add('release')
  await line(page, 'release').waitFor()
  await add('Release')
  await page.getByText('This word is already on your list').waitFor()
  assert.deepEqual(await words(), ['release'])
  await page.click('[aria-label="Remove release"]')
  await page.getByText('No alert words yet').waitFor()
  await undo(page)
  await line(page, 'release').waitFor()
  assert.deepEqual(await words(), ['release'])
})

journey('settings say that the server is not reachable, and nothing changes', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await visit(page, '#settings/privacy')
  const { send_read_receipts } = await stateOf(await demo.as('member'), 'user_settings', 'user_settings')()
  const control = page.getByRole('switch', { name: 'Show when you read a message' })
  await visit(page, '#settings/alert-words')
  await page.context().setOffline(true)
  await page.getByLabel('New word or phrase').fill('offline')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.waitForSelector('main [role=alert]:has-text("cannot be reached")')
  await visit(page, '#settings/privacy')
  await control.click()
  await page.waitForSelector('.toast.error:has-text("cannot be reached")')
  assert.equal(await control.getAttribute('aria-checked'), String(send_read_receipts))
  await page.evaluate(`location.hash = '#settings/sessions'`)
  await page.waitForSelector('main [role=alert]')
  await page.context().setOffline(false)
  await page.waitForSelector('main .line-item:has-text("This device")')
})
