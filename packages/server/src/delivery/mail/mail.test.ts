import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as accounts from '@parley/api/identity/accounts'
import { sendInvitations } from '@parley/api/identity/invitations'
import { updateRealm } from '@parley/api/organization/realm'
import { updateSettings } from '@parley/api/people/own-settings'
import { sql } from 'kysely'
import { buildApp } from '../../http/app.ts'
import { exists } from '../../platform/db/query.ts'
import { mailingWorld } from '../../testing/mailing-world.ts'
import { newMailReceiver } from '../../testing/peers/mail-receiver.ts'
import { until } from '../../testing/until.ts'
import { newWorld } from '../../testing/world.ts'
import { demoMailer } from './demo-mailbox.ts'
import { smtpMailer } from './mailer.ts'
import { deactivationEmail } from './templates.ts'

/** Quoted-printable, without its soft line breaks. */
function readable(source: string): string {
  return source.replace(/=\n/g, '').replaceAll('=3D', '=')
}

test('a user deactivated with a comment gets an email that contains it', async (t) => {
  const { olga, ben, receiver } = await mailingWorld(t)
  const comment = '  Thank you <for> everything.\nKeep in touch!  '
  await olga.does(accounts.deactivateUser, { path: { user_id: ben.id }, deactivation_notification_comment: comment })
  const { from, to, source } = await until(() => receiver.mail[0])
  assert.match(from, /<noreply@parley\.example>/)
  assert.match(to, new RegExp(`<${ben.credentials.email}>`))
  const text = readable(source)
  assert.match(text, /^Subject: Your account at Test has been deactivated$/m)
  assert.match(text, /^Content-Type: multipart\/alternative/m)
  assert.match(text, /^> Thank you <for> everything\.\n> Keep in touch!$/m)
  assert.match(text, /Thank you &lt;for&gt; everything\.<br>Keep in touch!/)
})

test('an empty comment asks for the usual text, and none for no mail', async (t) => {
  const { olga, ben, ann, receiver } = await mailingWorld(t)
  await olga.does(accounts.deactivateUser, { path: { user_id: ann.id } })
  await olga.does(accounts.deactivateUser, { path: { user_id: ben.id }, deactivation_notification_comment: '' })
  const { to, source } = await until(() => receiver.mail[0])
  assert.match(to, new RegExp(ben.credentials.email))
  assert.match(readable(source), /An administrator has deactivated your account/)
  assert.ok(!source.includes('adds'))
  assert.equal(receiver.mail.length, 1)
})

test('a deactivation that is refused sends nothing', async (t) => {
  const { adam, olga, realmId, ctx } = await mailingWorld(t)
  const wanted = { path: { user_id: olga.id }, deactivation_notification_comment: 'no' }
  await adam.isRefused(accounts.deactivateUser, wanted)
  const jobs = await sql`select 1 from jobs.jobs where payload ->> 'realm_id' = ${String(realmId)}`.execute(ctx.db)
  assert.equal(jobs.rows.length, 0)
})

test('a rejected email is retried', async (t) => {
  const { olga, ben, ctx, receiver } = await mailingWorld(t)
  receiver.refusals.push('451 come back later')
  await olga.does(accounts.deactivateUser, { path: { user_id: ben.id }, deactivation_notification_comment: '' })
  await until(
    () => exists(ctx.db)`
      update jobs.jobs set run_at = now() where last_error is not null returning 1`,
  )
  await until(() => receiver.mail[0])
  assert.equal(receiver.mail.length, 1)
})

test('a name cannot smuggle anything into a mail', async () => {
  const receiver = await newMailReceiver()
  const mailer = smtpMailer(receiver.url, 'noreply@parley.example')
  const letter = deactivationEmail(
    { name: 'A\r\nBcc: evil@example.com', url: undefined, language: 'en' },
    'x@example.com',
    '',
  )
  await mailer.send({ name: 'B"\r\nX-Evil: 1', address: 'ben@example.com' }, letter)
  mailer.close()
  const headers = receiver.mail[0]!.source.split('\n\n')[0]!
  assert.ok(!/^(Bcc|X-Evil):/m.test(headers), headers)
})

test('the demo server shows what it would have sent, and only it', async (t) => {
  const { ctx, host } = await newWorld()
  const mailer = demoMailer(ctx.db)
  await mailer.send(
    { name: 'Ben', address: 'ben@example.com' },
    deactivationEmail({ name: 'Test', url: undefined, language: 'en' }, 'ben@example.com', '<script>'),
  )
  const demo = buildApp({ ...ctx, config: { ...ctx.config, mode: 'demo' } })
  const production = buildApp(ctx)
  t.after(() => Promise.all([demo.close(), production.close()]))
  const shown = await demo.inject({ url: '/demo/mail', headers: { host } })
  assert.equal(shown.json().mail[0].recipient, 'ben@example.com')
  const page = await demo.inject({ url: '/demo/mail', headers: { host, accept: 'text/html' } })
  assert.match(page.headers['content-type'] as string, /^text\/html/)
  assert.ok(page.body.includes('&lt;script&gt;') && !page.body.includes('<script>'))
  assert.equal((await production.inject({ url: '/demo/mail', headers: { host } })).statusCode, 404)
})

test('names neither turn a subject around nor hide something in it', async (t) => {
  const receiver = await newMailReceiver()
  const mailer = smtpMailer(receiver.url, 'Parley <noreply@parley.example>')
  t.after(() => mailer.close())
  const name = 'Eve \u202Eevil =?utf-8?B?U2VjdXJpdHk=?=\u2028'
  await mailer.send(
    { name, address: 'ann@x.example' },
    deactivationEmail({ name, url: undefined, language: 'en' }, 'ann@x.example', ''),
  )
  const { source } = await until(() => receiver.mail[0])
  const [headers] = source.split(/\r?\n\r?\n/)
  assert.match(headers!, /^Subject: Your account at Eve\s+evil = \?utf-8\?B\?U2VjdXJpdHk= \?=/m)
  assert.doesNotMatch(headers!, /=\?utf-8/i)
  assert.match(headers!, /^To: "?Eve\s+evil = \?utf-8/m)
})

test('emails about an account are in the language of their recipient, invitations in that of the organization', async (t) => {
  const { olga, ben, receiver } = await mailingWorld(t)
  await ben.does(updateSettings, { default_language: 'de' })
  await olga.does(updateRealm, { default_language: 'fr' })
  await olga.does(accounts.deactivateUser, { path: { user_id: ben.id }, deactivation_notification_comment: '' })
  await olga.does(sendInvitations, { invitee_emails: 'zoe@example.com' })
  const sources = await until(() => receiver.mail.length === 2 && receiver.mail.map(({ source }) => readable(source)))
  const texts = sources.join('\n')
  assert.match(texts, /^Subject: Dein Konto bei Test wurde deaktiviert$/m)
  assert.match(texts, /<html lang="de"/)
  assert.match(texts, /vous invite/)
  assert.match(texts, /<html lang="fr"/)
})
