import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateRealm } from '@parley/api/organization/realm'
import { updateSettings } from '@parley/api/people/own-settings'
import { sql } from 'kysely'
import { inChannel } from '../../testing/channels.ts'
import { emailWorld, mailed } from '../../testing/email-world.ts'

test('an email has sender, text, reason and links, as text and as HTML', async () => {
  const world = await emailWorld()
  const { ann, ben, host } = world
  const stream_id = await inChannel('verona', [ann, ben])
  const id = await ben.sends({ channel: 'verona', topic: 'lunch time', content: '@**Ann** are you **there**?' })
  const [email] = await mailed(world)
  assert.equal(email!.to, ann.credentials.email)
  assert.equal(email!.subject, '#verona > lunch time')
  const link = `https://${host}/#narrow/channel/${stream_id}-verona/topic/lunch.20time/near/${id}`
  const [start, end] = email!.text.split('\n--\n')
  assert.equal(start, `Ben:\n\n  @Ann are you there?\n\nOpen the conversation: ${link}\n`)
  assert.match(
    end!,
    /^You got this email from Test because you were mentioned\.\n\nMute this topic: https\S+\n\nChange your notification settings: https/,
  )
  assert.ok(email!.html.includes('<strong>Ben</strong>'))
  assert.ok(email!.html.includes('<b>@Ann</b> are you <strong>there</strong>?'))
  assert.match(email!.html, /<p class="organization">Test<\/p>\n<h1>#verona &gt; lunch time<\/h1>/)
  assert.equal(email!.html.match(/<p class="open">/g)!.length, 1)
  assert.ok(email!.html.includes(`<a href="${link}" style=`))
})

test('an email says that a program sent it, threads by conversation, and can be stopped with one click', async () => {
  const world = await emailWorld()
  const { ann, ben, host } = world
  await ben.sends({ to: [ann] })
  await mailed(world)
  await ben.sends({ to: [ann] })
  const [one, two] = await mailed(world)
  const header = (name: string) => [one!.headers.get(name), two!.headers.get(name)]
  assert.deepEqual(header('auto-submitted'), ['auto-generated', 'auto-generated'])
  assert.deepEqual(header('list-unsubscribe-post'), Array(2).fill('List-Unsubscribe=One-Click'))
  const url = /^<(https:\/\/[^<>\s]+)>$/.exec(one!.headers.get('list-unsubscribe')!)![1]!
  assert.ok(url.startsWith(`https://${host}/unsubscribe/`) && one!.text.includes(url) && one!.html.includes(url))
  const [first, second] = header('references')
  assert.match(first!, new RegExp(`^<[\\w.-]+@${host}>$`))
  assert.equal(first, second)
  assert.notEqual(one!.headers.get('message-id'), two!.headers.get('message-id'))
})

test('a direct conversation of several people is named after the others', async () => {
  const world = await emailWorld()
  const { ann, ben, mona, olga, adam, gus } = world
  await ben.sends({ to: [ann, mona, olga, adam, gus] })
  const email = (await mailed(world)).find(({ to }) => to === ann.credentials.email)
  assert.match(email!.subject, /^Direct messages with \w+, \w+, \w+ and 2 others$/)
})

test('without permission for the text, an email has no text and no name', async () => {
  const world = await emailWorld()
  const { ann, ben, olga } = world
  await inChannel('secretplace', [ann, ben])
  const cases = [
    [
      () => ann.does(updateSettings, { message_content_in_email_notifications: false }),
      'Your notification settings leave out',
    ],
    [
      () => olga.does(updateRealm, { message_content_allowed_in_email_notifications: false }),
      'does not allow the text',
    ],
  ] as const
  for (const [turnOff, why] of cases) {
    await turnOff()
    world.receiver.mail.length = 0
    await ben.sends({ channel: 'secretplace', topic: 'secrettopic', content: '@**Ann** secrettext' })
    const [email] = await mailed(world)
    assert.equal(email!.subject, 'New messages')
    assert.ok(email!.text.includes(why) && email!.text.includes('You have a new message.'))
    assert.ok(!/secret|Ben/.test(email!.subject + email!.text + email!.html), email!.text)
  }
})

test('the name of the organization is in the subject if the user wants that', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await ann.does(updateSettings, { realm_name_in_email_notifications_policy: 2 })
  await ben.sends({ to: [ann] })
  assert.equal((await mailed(world))[0]!.subject, 'Direct messages with Ben [Test]')
})

test('of many messages, the email shows the first ones and counts the others', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  for (let number = 1; number <= 22; number++) await ben.sends({ to: [ann], content: `number ${number}.` })
  const [email] = await mailed(world)
  assert.ok(email!.text.includes('number 20.') && !email!.text.includes('number 21.'))
  assert.ok(email!.text.includes('And 2 more messages.'))
  assert.equal(email!.text.match(/^Ben:$/gm)!.length, 1)
})

test('a message that is too long for an email is only counted', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await ben.sends({ to: [ann], content: '$$a$$ '.repeat(1600) })
  const [email] = await mailed(world)
  assert.match(email!.text, /^You have a new message\. The text is too long for an email\.$/m)
  assert.ok(email!.html.length < 10_000)
})

test('of very many messages, the earliest are left out', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  for (let number = 1; number <= 51; number++) await ben.sends({ to: [ann], content: `number ${number}.` })
  const [email] = await mailed(world)
  assert.ok(email!.text.startsWith('Earlier messages are left out.'))
  assert.ok(email!.text.includes('number 2.') && !email!.text.includes('number 1.'))
})

test('names and topics cannot change headers or HTML', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx, receiver } = world
  const hostile = `x\r\nBcc: evil@example.com\r\n\r\n<script>alert(1)</script>\u202e`
  await inChannel('verona', [ann, ben])
  await ben.sends({ channel: 'verona', topic: 'talk', content: '@**Ann** <b onclick="x">hi</b>' })
  await sql`update topics set name = ${hostile} where realm_id = ${world.realmId} and name = 'talk'`.execute(ctx.db)
  await sql`update users set full_name = ${hostile} where id = any(${[ann.id, ben.id]}::bigint[])`.execute(ctx.db)
  const [email] = await mailed(world)
  assert.equal(receiver.mail.length, 1)
  assert.ok(!email!.headers.has('bcc'))
  assert.equal(email!.subject, '#verona > x Bcc: evil@example.com <script>alert(1)</script>')
  assert.ok(!/<script|onclick="|\u202e/.test(email!.html), email!.html)
})

test('times are in the zone and on the clock of the reader', async () => {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId } = world
  await ann.does(updateSettings, { timezone: 'Asia/Tokyo', twenty_four_hour_time: true })
  const id = await ben.sends({ to: [ann] })
  const date_sent = new Date(Date.now() - 3_600_000) // older than a day, it would not be mailed
  await ctx.db.updateTable('messages').set({ date_sent }).where('realm_id', '=', realmId).where('id', '=', id).execute()
  const [email] = await mailed(world)
  const inTokyo = new Date(date_sent.getTime() + 9 * 3_600_000).toUTCString()
  const [, weekday, day, month, time] = /^(\w{3}), 0?(\d+) (\w{3}) \d+ (\d\d:\d\d)/.exec(inTokyo)!
  assert.ok(email!.html.includes(`<span class="when">${weekday}, ${month} ${day}, ${time}</span>`), email!.html)
})

test('a poll is its question and its options, not the command that created it', async () => {
  const world = await emailWorld()
  const { ann, ben } = world
  await ben.sends({ to: [ann], content: '/poll Lunch <b>where</b>?\nKitchen\nPark' })
  const [email] = await mailed(world)
  assert.ok(email!.text.includes('  Poll: Lunch <b>where</b>?\n\n  - Kitchen\n  - Park\n'), email!.text)
  assert.ok(email!.html.includes('<strong>Poll: Lunch &lt;b&gt;where&lt;/b&gt;?</strong>'))
  assert.ok(!email!.html.includes('/poll'))
})
