import assert from 'node:assert/strict'
import { ParleyClient } from '@parley/client/wire/client'
import { checkLook } from '../../server/src/testing/browser.ts'
import { newReceiver } from '../../server/src/testing/peers/receiver.ts'
import { until } from '../../server/src/testing/until.ts'
import { type Demo, journey, messageWith, openTopic, send } from './journey.ts'

const form = {
  title: 'Why close it?',
  submit: 'Close it',
  fields: [
    { name: 'why', label: 'Reason', type: 'text', required: true },
    { name: 'level', label: 'Level', type: 'select', options: [{ value: 'high', label: 'High' }] },
    { name: 'day', label: 'Day', type: 'date' },
    { name: 'all', label: 'Tell everyone', type: 'checkbox' },
  ],
}
const rows = [
  [
    { type: 'button', id: 'ack', label: 'Acknowledge', style: 'primary', confirm: 'For the whole team?' },
    { type: 'button', id: 'close', label: 'Close', style: 'danger', form },
    { type: 'button', id: 'docs', label: 'Runbook', url: 'https://example.com/' },
    { type: 'button', id: 'thanks', label: 'Thanks', reply: 'Thank you' },
  ],
  [{ type: 'select', id: 'who', label: 'Assign', options: [{ value: 'amir', label: 'Amir' }] }],
]

let bots = 0

/** A bot of Amir's, which answers with what it was sent. */
async function newBot(demo: Demo) {
  const { url } = await newReceiver((response, { body }) => {
    const { type, action_id, answers, command, text } = JSON.parse(body)
    const answer = `${type} **${action_id ?? command}** ${text ?? JSON.stringify(answers ?? '')}`
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text: answer }))
  })
  const amir = await demo.as('admin')
  const short_name = `pager${++bots}`
  const made = { full_name: `Pager ${bots}`, short_name, bot_type: 3, payload_url: url }
  const { user_id, api_key } = await amir.call('createBot', made as never)
  const commands = [{ name: `oncall${bots}`, description: 'Who is on call', args: [{ name: 'team', type: 'text' }] }]
  await amir.call('updateBot', { path: { bot_id: user_id }, commands } as never)
  const { user } = (await amir.call('getUser', { path: { user_id } } as never)) as { user: { email: string } }
  return new ParleyClient({ site: demo.url, email: user.email, key: api_key })
}

async function alertIn(demo: Demo, topic: string) {
  const bot = await newBot(demo)
  const widget_content = { widget_type: 'actions', extra_data: { rows } }
  const place = { type: 'stream', to: 'general', topic } as const
  await bot.call('sendMessage', { ...place, content: 'Disk **full** on db1', widget_content } as never)
  return { bot, place }
}

journey('buttons, lists and forms of a message call its bot, whose answer only the presser sees', async (world) => {
  const { demo, signIn } = world
  await alertIn(demo, 'alerts')
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'alerts')
  const message = messageWith(page, 'Disk full')
  await message.getByRole('group', { name: 'Actions' }).waitFor()
  await message.getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByRole('dialog', { name: 'Acknowledge' }).getByRole('button', { name: 'Continue' }).click()
  const note = page.locator('.note')
  await note.filter({ hasText: 'action ack' }).waitFor()
  await note.getByText('Only you can see this.').waitFor()
  await checkLook(page, 'actions')
  await note.getByRole('button', { name: 'Dismiss' }).click()
  await note.waitFor({ state: 'detached' })
  await message.getByRole('button', { name: 'Close' }).click()
  const dialog = page.getByRole('dialog', { name: 'Why close it?' })
  await dialog.getByLabel('Reason').fill('cleaned up')
  await dialog.getByLabel('Level').selectOption('High')
  await dialog.getByLabel('Tell everyone').check()
  await checkLook(page, 'action-form')
  await dialog.getByRole('button', { name: 'Close it' }).click()
  await page.locator('.note', { hasText: '{"why":"cleaned up","level":"high","all":true}' }).waitFor()
  await message.getByRole('combobox', { name: 'Assign' }).selectOption('Amir')
  await page.locator('.note', { hasText: 'action who' }).waitFor()
  await message.getByRole('button', { name: 'Thanks' }).click()
  await messageWith(page, 'Thank you').waitFor()
  assert.equal(await message.getByRole('link', { name: 'Runbook' }).getAttribute('href'), 'https://example.com/')
})

journey('the composer completes the command of a bot, and runs it', async ({ demo, signIn }) => {
  await newBot(demo)
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'commands')
  await page.locator('#composer').pressSequentially('/onc')
  await page
    .getByRole('option', { name: /oncall/ })
    .last()
    .click()
  await page.locator('#composer').pressSequentially('database')
  await page.press('#composer', 'Control+Enter')
  await page.locator('.note', { hasText: `command oncall${bots} database` }).waitFor()
  assert.equal(await page.inputValue('#composer'), '')
  assert.equal(await messageWith(page, 'oncall').count(), 0)
})

journey('a bot shows what it works on, is asked to stop, and its answer grows', async ({ demo, signIn }) => {
  const { bot, place } = await alertIn(demo, 'growing')
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'growing')
  const { stream_id } = await bot.call('getChannelId', { stream: 'general' })
  const working = { op: 'start', type: 'stream', stream_id, topic: place.topic, activity: 'working' } as const
  await bot.call('setTypingStatus', { ...working, note: 'reading 3 topics' } as never)
  await page.getByText(/Pager \d is working: reading 3 topics/).waitFor()
  const { id, length } = (await bot.call('sendMessage', { ...place, content: 'So far', streaming: true })) as never
  await bot.call('setTypingStatus', { ...working, note: 'writing' } as never)
  const part = { path: { message_id: id }, delta: ' **more**', offset: length }
  const isSent = () => bot.call('editMessage', part as never).then(Boolean, () => false)
  await until(isSent) // at most four parts a second
  await page.getByRole('img', { name: 'still writing' }).waitFor()
  await checkLook(page, 'agent-works')
  await page.getByRole('button', { name: /Stop Pager/ }).click()
  await page.getByText(/was asked to stop/).waitFor()
  await bot.call('editMessage', { path: { message_id: id }, done: true } as never)
  await page.getByRole('img', { name: 'still writing' }).waitFor({ state: 'detached' })
  await messageWith(page, 'So far more').waitFor()
  await send(page, 'Thanks')
})
