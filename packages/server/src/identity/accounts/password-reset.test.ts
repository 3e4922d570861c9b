import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendPasswordReset as offer } from '@parley/api/identity/accounts'
import { getOwnUser } from '@parley/api/people/users'
import { sql } from 'kysely'
import { noSignOn } from '../../config/sign-on-file.ts'
import { buildApp } from '../../http/app.ts'
import { column } from '../../platform/db/query.ts'
import type { Job } from '../../platform/jobs/tasks.ts'
import type { Actor } from '../../testing/actor.ts'
import { newWorld } from '../../testing/world.ts'
import { ldapDirectories } from '../providers/ldap/ldap.ts'
import { sendPasswordReset } from './password-reset.ts'

const world = await newWorld()
const { ann, ben, olga, adam, host, realmId } = world
const sent: { address: string; text: string }[] = []
const mailer = {
  send: async ({ address }: { address: string }, { text }: { text: string }) => void sent.push({ address, text }),
  close: () => {},
}
const ctx = { ...world.ctx, mailer }
const app = buildApp(ctx)
test.after(() => app.close())

const post = (url: string, form: Record<string, string>) => app.inject({ method: 'POST', url, ...asForm(form) })
const asForm = (form: Record<string, string>) => ({
  headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
  payload: new URLSearchParams(form).toString(),
})

/** Runs the jobs that wait, as the background worker does, and returns what they sent. */
async function deliver(): Promise<typeof sent> {
  sent.length = 0
  const payloads = await column<Job<'send_password_reset'>>(ctx.db)`
    delete from jobs.jobs where task = 'send_password_reset' and (payload ->> 'realm_id')::bigint = ${realmId} returning payload`
  for (const payload of payloads) await sendPasswordReset(ctx, payload)
  return sent
}

async function linkFor({ credentials: { email } }: Actor): Promise<string> {
  await sql`delete from password_resets`.execute(ctx.db)
  await post('/reset', { email })
  return new URL(/https?:\S+\/reset\/\S+/.exec((await deliver())[0]!.text)![0]).pathname
}

test('the answer is the same whether or not the account exists, and only accounts get email', async () => {
  const [known, unknown] = [ann.credentials.email, `nobody@${host}`]
  const bodies = []
  for (const email of [known, unknown]) {
    const { statusCode, body } = await post('/reset', { email })
    bodies.push(`${statusCode} ${body.replaceAll(email, '…')}`)
  }
  assert.equal(bodies[0], bodies[1])
  assert.deepEqual(
    (await deliver()).map(({ address }) => address),
    [known],
  )
})

test('a link sets the password once, and ends the API key', async () => {
  const link = await linkFor(ann)
  assert.match((await app.inject({ url: link, headers: { host } })).body, /Set a new password/)
  assert.equal((await post(link, { password: 'quite a long sentence' })).statusCode, 200)
  assert.equal((await ann.isRefused(getOwnUser)).code, 'UNAUTHORIZED')
  const payload = { username: ann.credentials.email, password: 'quite a long sentence' }
  const signedIn = await app.inject({ method: 'POST', url: '/api/v1/fetch_api_key', ...asForm(payload) })
  assert.equal(signedIn.json().user_id, ann.id)
  assert.equal((await post(link, { password: 'another long sentence' })).statusCode, 404)
})

test('of two concurrent requests with one link, one succeeds', async () => {
  const link = await linkFor(ben)
  const answers = await Promise.all([1, 2].map(() => post(link, { password: 'quite a long sentence' })))
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 404])
})

test('a weak password is refused next to the field, and the link stays valid', async () => {
  const link = await linkFor(ben)
  const refused = await post(link, { password: 'password' })
  assert.equal(refused.statusCode, 400)
  assert.match(refused.body, /aria-invalid="true".*id="password-error".*too easy to guess/s)
  assert.doesNotMatch(refused.body, /value="password"/)
  assert.equal((await post(link, { password: 'quite a long sentence' })).statusCode, 200)
})

const isDead = async (link: string) =>
  assert.equal((await app.inject({ url: link, headers: { host } })).statusCode, 404)

test('a link dies after 30 minutes, with the email it was sent to, and with another password change', async () => {
  const expired = await linkFor(ben)
  for (const altered of [`${expired}x`, `${expired}=`, `${expired}.`]) await isDead(altered)
  await sql`update password_resets set expires_at = expires_at - interval '30 minutes'`.execute(ctx.db)
  await isDead(expired)
  const elsewhere = await linkFor(ben)
  await sql`update users set email_key = 'other' where id = ${ben.id}`.execute(ctx.db)
  await isDead(elsewhere)
  await sql`update users set email_key = lower(email) where id = ${ben.id}`.execute(ctx.db)
  const [first, second] = [await linkFor(ben), await post('/reset', { email: ben.credentials.email })]
  assert.equal(second.statusCode, 200)
  const other = new URL(/https?:\S+\/reset\/\S+/.exec((await deliver())[0]!.text)![0]).pathname
  await post(other, { password: 'quite a long sentence' })
  await isDead(first)
})

test('the database contains no token', async () => {
  const token = (await linkFor(ben)).split('/').at(-1)!
  const [row] = await column<string>(ctx.db)`select password_resets::text from password_resets`
  assert.ok(!row!.includes(token))
})

test('deactivated users and bots get no link, and a user at most three', async () => {
  const bot = await world.add('robot', undefined, { bot_type: 1, bot_owner_id: ben.id })
  await sql`update users set is_active = false where id = ${adam.id}`.execute(ctx.db)
  for (const { credentials } of [bot, adam]) await post('/reset', { email: credentials.email })
  assert.deepEqual(await deliver(), [])
  await sql`update users set is_active = true where id = ${adam.id}`.execute(ctx.db)
  await linkFor(ben)
  for (let count = 0; count < 4; count++) await post('/reset', { email: ben.credentials.email })
  assert.equal((await deliver()).length, 2)
})

test('the user gets a notice after the reset', async () => {
  await post(await linkFor(ben), { password: 'quite a long sentence' })
  const templates = await column<string>(ctx.db)`
    select payload ->> 'template' from jobs.jobs
     where payload ->> 'realm_id' = ${String(realmId)} and payload ->> 'user_id' = ${String(ben.id)}`
  assert.ok(templates.includes('password_changed'))
})

test('without email, administrators get the link; only owners that of an owner', async () => {
  const { reset_url } = await adam.does(offer, { path: { user_id: ben.id } })
  const { pathname } = new URL(reset_url!)
  assert.equal((await app.inject({ url: pathname, headers: { host } })).statusCode, 200)
  assert.equal((await adam.isRefused(offer, { path: { user_id: olga.id } })).code, 'UNAUTHORIZED_PRINCIPAL')
})

test('with email, the link goes to the user only', async () => {
  const url = `/api/v1/users/${ben.id}/password_reset`
  await sql`delete from password_resets`.execute(ctx.db)
  const { reset_url } = (await app.inject({ method: 'POST', url, headers: adam.headers })).json()
  assert.equal(reset_url, null)
  assert.equal((await deliver())[0]!.address, ben.credentials.email)
})

test('one network can request 30 links in an hour', async () => {
  await sql`delete from login_failures`.execute(ctx.db)
  await sql`insert into login_failures (key, failures, window_start) values ('reset 127.0.0.1', 30, now())`.execute(
    ctx.db,
  )
  const refused = await post('/reset', { email: `x@${host}` })
  assert.equal(refused.statusCode, 429)
  assert.match(refused.body, /Too many attempts/)
})

test('the meter ranks passwords as the server does', async () => {
  const scoreOf = async (password: string) => (await post('/password-strength', { password })).json().score
  assert.equal(await scoreOf('password'), 0)
  assert.equal(await scoreOf('Xk2!'), 0)
  assert.ok((await scoreOf('quite a long sentence')) >= 3)
})

test('users whose password is in a directory get an email that says so instead of a link', async () => {
  const ldap = [{ id: 'acme', name: 'Acme', base: 'dc=acme,dc=test', urls: ['ldap://127.0.0.1:9'] }]
  const own = { ...ctx, config: { ...ctx.config, signOn: { ...noSignOn, ldap } } }
  const directories = ldapDirectories(own)
  const server = buildApp({ ...own, mailer: undefined, directories })
  test.after(() => server.close())
  const user = await world.add('ilse')
  const identity = { realm_id: realmId, provider: 'ldap:acme', subject: 'ilse', user_id: user.id }
  await ctx.db.insertInto('external_identities').values(identity).execute()
  sent.length = 0
  const job = { realm_id: realmId, email: user.credentials.email, base_url: 'https://x.test' }
  await sendPasswordReset({ ...own, directories }, job as Job<'send_password_reset'>)
  assert.match(sent[0]!.text, /password at Acme. You can change it only there/)
  assert.doesNotMatch(sent[0]!.text, /\/reset\//)
  const url = `/api/v1/users/${user.id}/password_reset`
  const refused = await server.inject({ method: 'POST', url, headers: adam.headers })
  assert.match(refused.json().msg, /can only be changed at Acme/)
})
