import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateSettings } from '@parley/api/people/own-settings'
import { readConfig } from '../../config.ts'
import { inChannel } from '../../testing/channels.ts'
import { emailWorld, mailed, plan } from '../../testing/email-world.ts'
import { FormBrowser } from '../../testing/forms.ts'

test('emails are written in the language of their recipient', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await ann.does(updateSettings, { default_language: 'de' })
  await ben.sends({ to: [ann], content: 'hello' })
  const [email] = await mailed(world)
  assert.equal(email!.subject, 'Direktnachrichten mit Ben')
  assert.match(email!.text, /Unterhaltung öffnen: /)
  assert.match(email!.text, /weil du ungelesene Direktnachrichten hast/)
  assert.match(email!.html, /<html lang="de" dir="ltr">/)
  assert.doesNotMatch(email!.text, /You |Open|Change/)
})

test('an email from one person has their name and, if the operator wants, an address of theirs', async () => {
  const world = await emailWorld()
  const { ann, ben, mona, ctx } = world
  await inChannel('verona', [ann, ben, mona])
  ctx.config.mailFromPattern = 'n.%s@chat.example.com'
  try {
    for (const sender of [ben, mona]) await sender.sends({ channel: 'verona', topic: 'both', content: '@**Ann**' })
    await ben.sends({ to: [ann] })
    const emails = await mailed(world)
    const from = new Map(emails.map(({ subject, headers }) => [subject, headers.get('from')]))
    assert.equal(from.get('Direct messages with Ben'), `"Ben (Test)" <n.${ben.id}@chat.example.com>`)
    assert.equal(from.get('#verona > both'), 'Parley <noreply@parley.example>')
  } finally {
    ctx.config.mailFromPattern = undefined
  }
})

test('a name cannot add headers or another address', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx } = world
  ctx.config.mailFromPattern = 'n.%s@chat.example.com'
  try {
    await ben.does(updateSettings, { full_name: 'Eve <eve@evil.example>, "x' }).catch(() => {})
    await ben.sends({ to: [ann] })
    const [email] = await mailed(world)
    assert.ok(email!.headers.get('from')!.endsWith(`<n.${ben.id}@chat.example.com>`))
    assert.equal(world.receiver.mail[0]!.from.includes('evil'), false)
  } finally {
    ctx.config.mailFromPattern = undefined
  }
})

test('headers name the conversation, the reason and the thread', async () => {
  const world = await emailWorld()
  const { ann, ben, realmId } = world
  await inChannel('verona', [ann, ben])
  await ben.sends({ channel: 'verona', content: '@**Ann**' })
  const [email] = await mailed(world)
  const { headers } = email!
  assert.match(headers.get('list-id')!, new RegExp(`^<topic-\\d+\\.realm-${realmId}\\.[\\w.-]+>$`))
  assert.equal(headers.get('x-parley-reason'), 'mentioned')
  assert.equal(headers.get('in-reply-to'), headers.get('references'))
})

test('the link of the footer mutes the topic, after a question', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await inChannel('verona', [ann, ben])
  await ben.sends({ channel: 'verona', topic: 'noise', content: '@**Ann**' })
  const [email] = await mailed(world)
  const path = new URL(/Mute this topic: (\S+)/.exec(email!.text)![1]!).pathname
  const browser = new FormBrowser(world)
  const policies = async () => (await ann.registers()).user_topics!.map(({ visibility_policy }) => visibility_policy)
  assert.match((await browser.open(path)).body, /Mute this topic\?/)
  assert.deepEqual(await policies(), [3])
  assert.match((await browser.post(path, {})).body, /The topic is muted/)
  assert.deepEqual(await policies(), [1])
  assert.equal((await browser.open(`${path}x`)).statusCode, 404)
  await plan(world)
})

test('emails about direct messages have no link that mutes', async () => {
  const world = await emailWorld()
  await world.ben.sends({ to: [world.ann] })
  assert.doesNotMatch((await mailed(world))[0]!.text, /Mute/)
})

test('MAIL_FROM_PATTERN must be an address with the place of an id', () => {
  const config = (MAIL_FROM_PATTERN: string) => readConfig('demo', { MAIL_FROM_PATTERN }).mailFromPattern
  assert.equal(config('n.%s@chat.example.com'), 'n.%s@chat.example.com')
  for (const wrong of ['n@example.com', '%s', 'a %s@example.com', 'n.%s@x y'])
    assert.throws(() => config(wrong), /MAIL_FROM_PATTERN/)
})
