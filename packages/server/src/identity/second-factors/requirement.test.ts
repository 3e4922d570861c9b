import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resetSecondFactors } from '@parley/api/identity/accounts'
import { getSecondFactors } from '@parley/api/identity/second-factors'
import { updateRealm } from '@parley/api/organization/realm'
import { fetchApiKey } from '@parley/api/server'
import { many } from '../../platform/db/query.ts'
import { FormBrowser, hiddenField } from '../../testing/forms.ts'
import { addAuthenticator, secretIn } from '../../testing/peers/authenticator.ts'
import { newWorld } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { endSessionsWithoutFactor } from '../sessions/stored-credentials.ts'
import { codeAt, currentStep } from './totp.ts'

const world = await newWorld()
const { ctx, olga, adam, ann, ben } = world
const password = 'quite a long sentence'
const password_hash = await hashPassword(password)
await ctx.db.updateTable('users').set({ password_hash }).where('realm_id', '=', world.realmId).execute()

const days = (count: number) => Math.floor(Date.now() / 1000) + count * 86_400
const requireFrom = (second_factor_required_from: number) => olga.does(updateRealm, { second_factor_required_from })

async function login(email: string) {
  const browser = new FormBrowser(world)
  return { browser, page: await browser.post('/login', { email, password }) }
}

test('only owners require second factors', async () => {
  const refused = await adam.isRefused(updateRealm, { second_factor_required_from: days(1) })
  assert.equal(refused.code, 'UNAUTHORIZED_PRINCIPAL')
})

test('in the grace period users without a second factor get in, and a page says from when on it is required', async () => {
  await requireFrom(days(7))
  const { browser, page } = await login(ann.credentials.email)
  assert.match(page.body, /Set up two-step sign-in/)
  assert.match((await browser.open('/sessions')).body, /signed in as Ann/)
  assert.ok(await ben.does(fetchApiKey, { username: ann.credentials.email, password }))
})

test('afterwards they add an authenticator app before they get in', async () => {
  await requireFrom(days(-1))
  const user = await world.add('cora')
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute()
  const { browser, page } = await login(user.credentials.email)
  assert.equal(page.headers['set-cookie'], undefined)
  const form = { pending: hiddenField(page.body, 'pending'), enrolment: hiddenField(page.body, 'enrolment') }
  const wrong = await browser.post('/login/enrol', { ...form, code: '000000' })
  assert.equal(wrong.headers['set-cookie'], undefined)
  const done = await browser.post('/login/enrol', { ...form, code: codeAt(secretIn(page.body), currentStep()) })
  assert.equal(done.body.match(/<code>/g)?.length, 10)
  assert.match((await browser.open('/sessions')).body, /signed in as Cora/)
})

test('afterwards API clients without a second factor get an error that says what to do', async () => {
  await requireFrom(days(-1))
  const refused = await ben.isRefused(fetchApiKey, { username: ann.credentials.email, password })
  assert.equal(refused.code, 'SECOND_FACTOR_REQUIRED')
  assert.match(refused.msg, /requires two-step sign-in.*create a token/)
})

test('the password alone cannot add an app to an account that has a second factor', async () => {
  await requireFrom(days(-1))
  const user = await world.add('dora')
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute()
  const { browser, page } = await login(user.credentials.email)
  await addAuthenticator(world, user)
  const form = { pending: hiddenField(page.body, 'pending'), enrolment: hiddenField(page.body, 'enrolment') }
  const refused = await browser.post('/login/enrol', { ...form, code: codeAt(secretIn(page.body), currentStep()) })
  assert.equal(refused.statusCode, 400)
  assert.equal(refused.headers['set-cookie'], undefined)
})

test('the last factor cannot be removed while one is required', async () => {
  await requireFrom(0)
  const user = await world.add('emil')
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute()
  const { browser } = await login(user.credentials.email)
  await addAuthenticator(world, user)
  await requireFrom(days(3))
  const refused = await browser.post('/second-factor/totp/remove', { password })
  assert.match(refused.body, /requires two-step sign-in/)
  assert.ok((await user.does(getSecondFactors)).totp_added_at)
})

test('when the grace period is over, earlier sessions of users without a second factor end, and no others', async () => {
  await requireFrom(0)
  const [one, other, sso] = [await world.add('fred'), await world.add('gina'), await world.add('hugo')]
  const inDirectory = await world.add('ilse')
  const ids = [one.id, other.id, sso.id, inDirectory.id]
  await ctx.db.updateTable('users').set({ password_hash }).where('id', 'in', ids).execute()
  const browsers = []
  for (const { credentials } of [one, other, sso, inDirectory]) browsers.push((await login(credentials.email)).browser)
  await addAuthenticator(world, other)
  await ctx.db.updateTable('users').set({ password_hash: null }).where('id', 'in', [sso.id, inDirectory.id]).execute()
  const identity = { realm_id: world.realmId, provider: 'ldap:acme', subject: 'ilse', user_id: inDirectory.id }
  await ctx.db.insertInto('external_identities').values(identity).execute()
  await ctx.db
    .updateTable('credentials')
    .set({ created_at: new Date(days(-2) * 1000) })
    .where('user_id', 'in', ids)
    .execute()
  await requireFrom(days(-1))
  await endSessionsWithoutFactor(ctx)
  const open = await Promise.all(browsers.map((browser) => browser.open('/sessions')))
  assert.deepEqual(
    open.map(({ statusCode }) => statusCode),
    [303, 200, 200, 303],
  )
})

test('an administrator resets the second factors of a user, which is audited', async () => {
  await requireFrom(0)
  const user = await world.add('iris')
  await addAuthenticator(world, user)
  const path = { user_id: user.id }
  await adam.does(resetSecondFactors, { path })
  assert.deepEqual(await user.does(getSecondFactors), {
    result: 'success',
    msg: '',
    totp_added_at: null,
    passkeys: 0,
    recovery_codes: 0,
  })
  const rows = await many<{ acting_user_id: number | null }>(ctx.db)`
    select acting_user_id from audit_log
     where action = 'second_factors_reset' and (target ->> 'user_id') = ${String(user.id)}`
  assert.deepEqual(rows, [{ acting_user_id: adam.id }])
  assert.match((await adam.isRefused(resetSecondFactors, { path })).msg, /no second factor/)
})

test('administrators cannot reset their own second factors or those of owners', async () => {
  for (const user of [adam, olga]) await addAuthenticator(world, user)
  assert.match((await adam.isRefused(resetSecondFactors, { path: { user_id: adam.id } })).msg, /second-factor/)
  const owner = await adam.isRefused(resetSecondFactors, { path: { user_id: olga.id } })
  assert.equal(owner.code, 'UNAUTHORIZED_PRINCIPAL')
  await olga.does(resetSecondFactors, { path: { user_id: adam.id } })
})
