import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSession } from '@parley/api/identity/sessions'
import { fetchApiKey } from '@parley/api/server'
import { column } from '../../platform/db/query.ts'
import { FormBrowser, hiddenField } from '../../testing/forms.ts'
import { addAuthenticator } from '../../testing/peers/authenticator.ts'
import { newWorld } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'

const world = await newWorld()
const { ctx, ann, ben, realmId } = world
const password = 'quite a long sentence'
const password_hash = await hashPassword(password)
await ctx.db.updateTable('users').set({ password_hash }).where('realm_id', '=', realmId).execute()

/** A new user with an authenticator app. */
async function enrolled(name: string) {
  const user = await world.add(name)
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute()
  return { user, app: await addAuthenticator(world, user), username: user.credentials.email }
}

/** Opens the second step. */
async function secondStep(email: string, more: Record<string, string> = {}) {
  const browser = new FormBrowser(world)
  const page = await browser.post('/login', { email, password, ...more })
  assert.equal(page.headers['set-cookie'], undefined)
  const pending = hiddenField(page.body, 'pending')
  return { browser, pending, enter: (code: string) => browser.post('/login/code', { pending, code }) }
}

const actionsOf = (id: number) =>
  column<string>(ctx.db)`select action from audit_log where (target ->> 'user_id') = ${String(id)} order by number`

test('the page asks for a code after the password, and signs in with it', async () => {
  const { user, app, username } = await enrolled('cora')
  const { enter, browser } = await secondStep(username)
  assert.ok(!(await actionsOf(user.id)).includes('signed_in'))
  const done = await enter(app.code())
  assert.equal(done.headers.location, '/')
  assert.match((await browser.open('/sessions')).body, /signed in as Cora/)
  assert.deepEqual((await actionsOf(user.id)).slice(-2), ['signed_in', 'session_started'])
})

test('the second step needs the password that is valid now', async () => {
  const { user, app, username } = await enrolled('cleo')
  const { enter } = await secondStep(username)
  const changed = { password_hash: await hashPassword('another long sentence') }
  await ctx.db.updateTable('users').set(changed).where('id', '=', user.id).execute()
  const refused = await enter(app.code())
  assert.equal(refused.headers['set-cookie'], undefined)
  assert.match(refused.body, /Sign in again/)
})

test('a code works once', async () => {
  const { app, username } = await enrolled('dora')
  const code = app.code()
  const { enter } = await secondStep(username)
  assert.equal((await enter(code)).statusCode, 303)
  const again = await (await secondStep(username)).enter(code)
  assert.equal(again.statusCode, 401)
  assert.match(again.body, /id="code-error"/)
  assert.equal(again.headers['set-cookie'], undefined)
})

test('of two concurrent uses of a code, one succeeds', async () => {
  const { app, username } = await enrolled('emil')
  const code = app.code()
  const params = { username, password, code }
  const answers = await Promise.allSettled([1, 2].map(() => ann.does(createSession, params)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('a recovery code works once, however it is typed, and the user gets an email about it', async () => {
  const { user, app, username } = await enrolled('fred')
  const typed = ` ${app.recoveryCodes[3]!.toUpperCase().replaceAll('-', ' ')} `
  assert.equal((await (await secondStep(username)).enter(typed)).statusCode, 303)
  assert.equal((await (await secondStep(username)).enter(typed)).statusCode, 401)
  assert.ok((await actionsOf(user.id)).includes('recovery_code_used'))
  const mails = await column<string>(ctx.db)`
    select payload ->> 'change' from jobs.jobs where payload ->> 'user_id' = ${String(user.id)} order by id`
  assert.ok(mails.includes('recovery_code_used'))
})

test('the recovery code of another user does not work', async () => {
  const [one, other] = [await enrolled('gina'), await enrolled('hugo')]
  assert.equal((await (await secondStep(one.username)).enter(other.app.recoveryCodes[0]!)).statusCode, 401)
})

test('the second step cannot be made with a forged, foreign or old first one', async () => {
  const { app, username } = await enrolled('iris')
  const { pending, browser } = await secondStep(username)
  const elsewhere = new FormBrowser(await newWorld())
  const code = app.code()
  for (const [who, sealed] of [
    [browser, ''],
    [browser, `${pending}A`],
    [elsewhere, pending],
  ] as const)
    assert.equal((await who.post('/login/code', { pending: sealed, code })).statusCode, 404)
  const old = ctx.vault.sealToken('second step of signing in', { realmId, userId: ann.id, until: Date.now() - 1 })
  assert.equal((await browser.post('/login/code', { pending: old, code })).statusCode, 404)
})

test('an account that was deactivated between the two steps is not signed in', async () => {
  const { user, app, username } = await enrolled('jack')
  const { enter } = await secondStep(username)
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', user.id).execute()
  const refused = await enter(app.code())
  assert.equal(refused.statusCode, 401)
  assert.equal(refused.headers['set-cookie'], undefined)
})

test('guesses are limited per account, wherever they come from', async () => {
  const { app, username } = await enrolled('kate')
  const { enter } = await secondStep(username)
  for (let count = 0; count < 10; count++) assert.equal((await enter('000000')).statusCode, 401)
  assert.equal((await enter(app.code())).statusCode, 429)
  const failures = await column<string>(ctx.db)`
    select payload ->> 'email' from jobs.jobs where task = 'audit_failed_sign_in' and payload ->> 'email' = ${username}`
  assert.equal(failures.length, 10)
})

test('API clients that send only the password get an error that names tokens; with a code they get in', async () => {
  const { app, username } = await enrolled('lisa')
  const refused = await ben.isRefused(fetchApiKey, { username, password })
  assert.equal(refused.code, 'SECOND_FACTOR_REQUIRED')
  assert.match(refused.msg, /create a token/)
  assert.equal((await ben.isRefused(fetchApiKey, { username, password, code: '123456' })).code, 'AUTHENTICATION_FAILED')
  assert.ok((await ben.does(fetchApiKey, { username, password, code: app.code() })).api_key)
})

test('a wrong password does not reveal that the account has a second factor', async () => {
  const { username } = await enrolled('mike')
  const refused = await ben.isRefused(fetchApiKey, { username, password: 'wrong', code: '123456' })
  assert.equal(refused.msg, 'Your username or password is incorrect')
})

test('a shared computer stays one through the second step', async () => {
  const { app, username } = await enrolled('nina')
  const { enter } = await secondStep(username, { shared_computer: 'true' })
  assert.doesNotMatch(String((await enter(app.code())).headers['set-cookie']), /Max-Age/)
})

test('the database contains neither the secret nor a recovery code', async () => {
  const { app } = await enrolled('otto')
  const { secret_sealed } = await ctx.db.selectFrom('totp_factors').selectAll().executeTakeFirstOrThrow()
  assert.match(ctx.vault.open(secret_sealed), /^[0-9a-f]{40}$/)
  const stored = await column<string>(ctx.db)`select encode(code_hash, 'escape') from recovery_codes`
  for (const code of app.recoveryCodes) assert.ok(!stored.join().includes(code.replaceAll('-', '')))
})
