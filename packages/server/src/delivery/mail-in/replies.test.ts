import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { operations } from '@parley/api/operations'
import { sql } from 'kysely'
import { many, one } from '../../platform/db/query.ts'
import { inChannel, leaves } from '../../testing/channels.ts'
import { runCommand } from '../../testing/command.ts'
import { emailWorld, mailed } from '../../testing/email-world.ts'
import { environmentOf } from '../../testing/world-command.ts'
import { deliverIncoming } from './deliver-email.ts'
import { replyMarker } from './text/quote-words.ts'

const domain = 'chat.example.com'

/** A world that receives emails, in which Ann got an email about a message of Ben. */
async function replyWorld(
  t: TestContext,
  { authority, content = 'Lunch?' }: { authority?: string; content?: string } = {},
) {
  const world = await emailWorld()
  const { ann, ben, ctx, realmId } = world
  const before = ctx.config.mailIn
  ctx.config.mailIn = { domain, authority, listener: undefined }
  t.after(() => {
    ctx.config.mailIn = before
  })
  await inChannel('verona', [ben, ann])
  const messageId = await ben.sends({ channel: 'verona', topic: 'lunch', content: `@**Ann** ${content}` })
  const [email] = await mailed(world)
  const address = /<([^>]+)>/.exec(email!.headers.get('reply-to')!)![1]!
  const env = { ...environmentOf(world), MAIL_IN_DOMAIN: domain }

  const deliver = (raw: string, to = address, more: string[] = []) =>
    runCommand(['mail', 'deliver', '--recipient', to, ...more], { env, input: raw })
  /** Runs the jobs, and returns what became of the emails so far. */
  const outcomes = async () => {
    const waiting = await many<{ id: number }>(ctx.db)`
      select id from incoming_emails where realm_id = ${realmId} and outcome is null order by id`
    for (const { id } of waiting) await deliverIncoming(ctx, { realm_id: realmId, email_id: id })
    return many<{ outcome: string | null; reason: string | null; sent_message_id: number | null }>(ctx.db)`
      select outcome, reason, sent_message_id from incoming_emails where realm_id = ${realmId} order by id`
  }
  const newest = async () => {
    const { messages } = await ann.does(operations.getMessages, {
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
      apply_markdown: false,
    })
    return messages[0]!
  }
  const answers = async (raw: string, to = address) => {
    const { code, output } = await deliver(raw, to)
    assert.equal(code, 0, output)
    return (await outcomes()).at(-1)!
  }
  const write = (text: string, headers: Record<string, string> = {}) =>
    emailOf({ From: `Ann <${ann.credentials.email}>`, To: address, Subject: 'Re: lunch', ...headers }, text)
  return { ...world, email: email!, messageId, address, env, deliver, answers, outcomes, newest, write }
}

let count = 0

function emailOf(headers: Record<string, string>, text: string): string {
  const all = { 'Message-ID': `<${++count}@mail.test>`, 'Content-Type': 'text/plain; charset=utf-8', ...headers }
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n')}\r\n\r\n${text}`
}

test('a reply to an email is posted in the conversation, by its author', async (t) => {
  const world = await replyWorld(t)
  const { ann, answers, newest, write, messageId } = world
  const { outcome } = await answers(
    write(`Gladly, *at noon*!\r\n\r\nOn Tue, Nov 3, 2026 at 10:00 AM Test wrote:\r\n> ${replyMarker}\r\n> Ben: Lunch?`),
  )
  assert.equal(outcome, 'sent')
  const message = await newest()
  assert.ok(message.id > messageId)
  assert.equal(message.sender_id, ann.id)
  assert.deepEqual([message.display_recipient, message.subject, message.client], ['verona', 'lunch', 'Email'])
  assert.equal(message.content, 'Gladly, *at noon*!\n\n*(via email, not verified)*')
})

test('a reply address works many times, and direct messages have one, too', async (t) => {
  const world = await replyWorld(t)
  const { ann, ben, answers, newest, write } = world
  for (const text of ['one', 'two']) assert.equal((await answers(write(text))).outcome, 'sent')
  await ben.sends({ to: [ann], content: 'psst' })
  const email = (await mailed(world)).findLast(({ to }) => to === ann.credentials.email)!
  const address = /<([^>]+)>/.exec(email.headers.get('reply-to')!)![1]!
  await answers(write('yes?'), address)
  const message = await newest()
  assert.equal(message.type, 'private')
  assert.match(message.content, /^yes\?/)
})

test('an email that comes twice is posted once', async (t) => {
  const { answers, outcomes, write } = await replyWorld(t)
  const raw = write('once')
  await answers(raw)
  await answers(raw)
  assert.deepEqual(
    (await outcomes()).map(({ outcome }) => outcome),
    ['sent'],
  )
})

test('two processes that handle an email at once post it once', async (t) => {
  const { ctx, realmId, deliver, newest, write } = await replyWorld(t)
  await deliver(write('once'))
  const { id: email_id } = await one<{ id: number }>(ctx.db)`select id from incoming_emails where realm_id = ${realmId}`
  await Promise.all([1, 2, 3].map(() => deliverIncoming(ctx, { realm_id: realmId, email_id })))
  const { total } = await one<{ total: number }>(ctx.db)`
    select count(*) as total from messages where realm_id = ${realmId} and content like 'once%'`
  assert.equal(total, 1)
  assert.match((await newest()).content, /^once/)
})

test('a reply goes where the message has been moved', async (t) => {
  const { olga, messageId, answers, newest, write } = await replyWorld(t)
  await olga.does(operations.editMessage, {
    path: { message_id: messageId },
    topic: 'food',
    propagate_mode: 'change_all',
  })
  await answers(write('Here?'))
  assert.equal((await newest()).subject, 'food')
})

test('users who have the address of another cannot speak as them', async (t) => {
  const { ben, answers, newest, messageId, write } = await replyWorld(t)
  const others = [`Ann <${ben.credentials.email}>`, 'Ann <ann@elsewhere.example>', '']
  for (const From of others) assert.equal((await answers(write('I am Ann', { From }))).outcome, 'dropped')
  assert.equal((await newest()).id, messageId)
})

test('two authors, or two From headers, are nobody', async (t) => {
  const { ann, answers, write } = await replyWorld(t)
  const own = ann.credentials.email
  assert.equal((await answers(write('x', { From: `${own}, other@example.com` }))).outcome, 'dropped')
  assert.equal((await answers(write('x', { From: `${own}\r\nFrom: other@example.com` }))).outcome, 'dropped')
})

const passed = (domain: string) => `mx.test; dkim=pass header.d=${domain}; dmarc=pass (p=none) header.from=${domain}`

test('with MAIL_IN_AUTH, what the mail server has confirmed is posted without a remark', async (t) => {
  const { ann, answers, newest, write } = await replyWorld(t, { authority: 'mx.test' })
  const own = ann.credentials.email.split('@')[1]!
  await answers(write('It is me', { 'Authentication-Results': passed(own) }))
  assert.equal((await newest()).content, 'It is me')
})

test('with MAIL_IN_AUTH, what the mail server has not confirmed is not posted', async (t) => {
  const { ann, answers, messageId, newest, write } = await replyWorld(t, { authority: 'mx.test' })
  const own = ann.credentials.email.split('@')[1]!
  const wrong = [
    '',
    `mx.test; dmarc=fail header.from=${own}`,
    `mx.test; dmarc=pass header.from=elsewhere.example`,
    `mx.test; dkim=pass header.d=elsewhere.example`,
    `mx.test; dkim=pass header.d=not${own}`,
    `mx.test; dkim=fail (dmarc=pass) header.d=${own}`,
    `mx.test; dkim=fail reason="; dmarc=pass" header.d=${own}`,
    `mx.test.evil.example; dmarc=pass header.from=${own}`,
    `evil.example; dmarc=pass header.from=${own}`,
    `mx.test; none\r\nAuthentication-Results: ${passed(own)}`, // only the topmost counts
  ]
  for (const value of wrong) {
    const { outcome } = await answers(write('I am Ann', value === '' ? {} : { 'Authentication-Results': value }))
    assert.equal(outcome, 'dropped', value)
  }
  assert.equal((await newest()).id, messageId)
})

test('an email that nobody has verified mentions nobody at large', async (t) => {
  const { answers, newest, write } = await replyWorld(t)
  await answers(write('@**all** and @**topic**'))
  assert.match((await newest()).content, /^\*\*all\*\* and \*\*topic\*\*\n/)
})

test('emails of programs are not posted, and are not answered', async (t) => {
  const { answers, outcomes, write, receiver } = await replyWorld(t)
  const sent = receiver.mail.length
  const automatic: Record<string, string>[] = [
    { 'Auto-Submitted': 'auto-replied' },
    { 'Auto-Submitted': 'auto-generated (vacation)' },
    { Precedence: 'bulk' },
    { 'X-Parley': 'sent' },
    { 'Return-Path': '<>' },
    { 'Content-Type': 'multipart/report; boundary=a' },
  ]
  for (const headers of automatic) assert.equal((await answers(write('I am away', headers))).outcome, 'dropped')
  assert.equal((await answers(write('I am here', { 'Auto-Submitted': 'no' }))).outcome, 'sent')
  assert.equal((await outcomes()).length, automatic.length + 1)
  assert.equal(receiver.mail.length, sent)
})

test('an email that cannot be posted is answered with the reason, once a day', async (t) => {
  const { ann, ctx, realmId, answers, write } = await replyWorld(t)
  await leaves(ann, 'verona')
  await ctx.db.updateTable('channels').set({ invite_only: true }).where('realm_id', '=', realmId).execute()
  ctx.realms.drop(realmId)
  for (const text of ['one', 'two']) assert.equal((await answers(write(text))).outcome, 'refused')
  const jobs = await many<{ payload: { reason: string; user_id: number } }>(ctx.db)`
    select payload from jobs.jobs where task = 'send_mail' and payload ->> 'realm_id' = ${String(realmId)}`
  assert.equal(jobs.length, 1)
  assert.equal(jobs[0]!.payload.user_id, ann.id)
  assert.match(jobs[0]!.payload.reason, /deleted, or you can no longer read it/)
})

test('an email without words of its own is refused', async (t) => {
  const { answers, write } = await replyWorld(t)
  const { outcome, reason } = await answers(write(`\r\n> ${replyMarker}\r\n> Ben: Lunch?`))
  assert.equal(outcome, 'refused')
  assert.match(reason!, /no text of yours/)
})

const withFiles = (address: string, from: string) => `From: ${from}
To: ${address}
Message-ID: <${++count}@mail.test>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/related; boundary=inner

--inner
Content-Type: multipart/alternative; boundary=alt

--alt
Content-Type: text/plain; charset=utf-8

Look: [image: plan.png] nice

--${' '}
Ann
[image: logo.png]
--alt
Content-Type: text/html

<p>Look: <img src="cid:plan@x"> nice</p><div class="gmail_signature"><img src="cid:logo@x"></div>
--alt--
--inner
Content-Type: image/png; name=plan.png
Content-ID: <plan@x>
Content-Disposition: inline; filename=plan.png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--inner
Content-Type: image/png; name=logo.png
Content-ID: <logo@x>
Content-Disposition: inline; filename=logo.png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--inner--
--outer
Content-Type: text/csv; name="=?utf-8?q?gr=C3=B6=C3=9Fen=2Ecsv?="
Content-Disposition: attachment

a,b
--outer--
`

test('attachments are uploads of the author, images stay in their place, and those of the signature are left out', async (t) => {
  const { ann, address, answers, newest } = await replyWorld(t)
  assert.equal((await answers(withFiles(address, ann.credentials.email))).outcome, 'sent')
  const { content } = await newest()
  assert.match(content, /^Look: \[plan\.png\]\(\/user_uploads\/\S+\) nice\n\n\[größen\.csv\]\(\/user_uploads\/\S+\)\n/)
  const { attachments } = await ann.does(operations.getAttachments)
  assert.deepEqual(attachments.map(({ name, messages }) => [name, messages.length]).sort(), [
    ['größen.csv', 1],
    ['plan.png', 1],
  ])
})

test('a text that is too long for a message is attached', async (t) => {
  const { answers, newest, write } = await replyWorld(t)
  await answers(write('word '.repeat(4000)))
  const { content } = await newest()
  assert.ok(content.length <= 10_000)
  assert.match(content, /^(?:word )+…?\s*\[email\.txt\]\(\/user_uploads\//)
})

test('a wrong, changed or expired address is refused for good', async (t) => {
  const { address, deliver, write } = await replyWorld(t)
  const [local] = address.split('@')
  const changed = `${local!.slice(0, -1)}${local!.endsWith('a') ? 'b' : 'a'}`
  for (const to of [
    `${changed}@${domain}`,
    `${local!.slice(0, -8)}@${domain}`,
    `${local}@elsewhere.example`,
    `r.@${domain}`,
    'x',
  ])
    assert.equal((await deliver(write('x'), to)).code, 67, to)
  assert.equal((await deliver(write('x'), `noreply@${domain}`)).code, 77)
})

test('a reply address ends with the keys of its user', async (t) => {
  const { ann, deliver, write } = await replyWorld(t)
  await ann.does(operations.regenerateApiKey)
  assert.equal((await deliver(write('x'))).code, 67)
})

test('a deactivated user is refused', async (t) => {
  const { ann, olga, deliver, write } = await replyWorld(t)
  await olga.does(operations.deactivateUser, { path: { user_id: ann.id } })
  assert.notEqual((await deliver(write('x'))).code, 0)
})

test('an address in capitals is the same address', async (t) => {
  const { address, answers, write } = await replyWorld(t)
  assert.equal((await answers(write('x'), address.toUpperCase())).outcome, 'sent')
})

test('more emails than a person writes are to be tried again later', async (t) => {
  const { ctx, ann, realmId, deliver, write } = await replyWorld(t)
  await sql`
    insert into incoming_emails (realm_id, user_id, message_id, digest, path, outcome)
    select ${realmId}, ${ann.id}, 1, decode(lpad(to_hex(n), 8, '0'), 'hex'), 'x', 'dropped' from generate_series(1, 20) n`.execute(
    ctx.db,
  )
  assert.equal((await deliver(write('x'))).code, 75)
})

test('a bounce is refused, and so is an email that is too large', async (t) => {
  const { deliver, write } = await replyWorld(t)
  assert.equal((await deliver(write('x'), undefined, ['--sender', ''])).code, 77)
  assert.equal((await deliver(write('x'.repeat(26 * 1024 * 1024)))).code, 65)
})

test('without an address, or without a database, the mail server hears what to do', async (t) => {
  const { env, deliver } = await replyWorld(t)
  assert.equal((await runCommand(['mail', 'deliver'], { env, input: '' })).code, 64)
  const away = { ...env, DATABASE_URL: 'postgres://parley:x@127.0.0.1:1/parley' }
  assert.equal((await runCommand(['mail', 'deliver', '--recipient', 'x@y'], { env: away, input: '' })).code, 75)
  const { MAIL_IN_DOMAIN: _, ...without } = env
  assert.equal((await runCommand(['mail', 'deliver', '--recipient', 'x@y'], { env: without, input: '' })).code, 75)
  assert.equal((await deliver('', 'x@y')).code, 67)
})

test('an email that cannot be read ends, and nothing is posted', async (t) => {
  const { answers, write } = await replyWorld(t)
  const deep = Array.from(
    { length: 200 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}`,
  ).join('\r\n')
  const raw = write('')
    .replace(/Content-Type: .*\r\n/, '')
    .replace(/\r\n\r\n$/, `\r\n${deep}\r\n`)
  await assert.rejects(answers(raw), /tried again/)
  await assert.rejects(answers(write('x')), /tried again/)
  assert.equal((await answers(write('y'))).outcome, 'sent')
})

test('emails offer to reply only where that works and where the text is shown', async (t) => {
  const { ann, ben, ctx, email, ...world } = await replyWorld(t)
  assert.ok(email.text.startsWith(replyMarker))
  assert.ok(email.html.includes(replyMarker))
  ctx.config.mailIn = undefined
  await ben.sends({ to: [ann] })
  const [, without] = await mailed({ ...world, ann, ben, ctx })
  assert.equal(without!.headers.has('reply-to'), false)
  assert.ok(!without!.text.includes(replyMarker))
})

test('hostile emails end, and do not stop the server', async (t) => {
  const { answers, write } = await replyWorld(t)
  const html = { 'Content-Type': 'text/html' }
  const bombs = [
    write('<div>'.repeat(20_000), html),
    write('<blockquote><ul><li>'.repeat(5000), html),
    write('<a href="'.repeat(10_000), html),
    write(`${'>'.repeat(200_000)} x`),
    write(`${'From: a@b\r\nSent: x\r\n'.repeat(2000)}`),
    write('x', { To: 'a@b, '.repeat(5000), 'Content-Type': `text/plain; charset="${'x'.repeat(10_000)}"` }),
  ]
  for (const raw of bombs) assert.ok((await answers(raw)).outcome)
  const parts = write('--a\r\n\r\n\r\n'.repeat(21_000), { 'Content-Type': 'multipart/mixed; boundary=a' })
  await assert.rejects(answers(parts), /tried again/)
})
