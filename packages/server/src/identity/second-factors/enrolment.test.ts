import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getSecondFactors } from '@parley/api/identity/second-factors'
import { column } from '../../platform/db/query.ts'
import { FormBrowser, hiddenField } from '../../testing/forms.ts'
import { addAuthenticator } from '../../testing/peers/authenticator.ts'
import { newWorld } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { codeAt, currentStep } from './totp.ts'

const world = await newWorld()
const { ctx } = world
const password = 'quite a long sentence'
const password_hash = await hashPassword(password)

/** A new user with a signed-in browser. */
async function signedIn(name: string) {
  const user = await world.add(name)
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute()
  const browser = new FormBrowser(world)
  await browser.post('/login', { email: user.credentials.email, password })
  return { user, browser }
}

/** The secret on the page that shows the QR code. */
function secretIn(body: string): Buffer {
  const letters = /<strong>([A-Z2-7 ]+)<\/strong>/.exec(body)![1]!.replaceAll(' ', '')
  const bits = [...letters].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

const actionsOf = (id: number) =>
  column<string>(ctx.db)`select action from audit_log where (target ->> 'user_id') = ${String(id)} order by number`

test('a user adds an authenticator app with its first code, and gets ten recovery codes', async () => {
  const { user, browser } = await signedIn('cora')
  const page = await browser.post('/second-factor/totp', { password })
  assert.match(page.body, /<svg class="qr"/)
  const enrolment = hiddenField(page.body, 'enrolment')
  const wrong = await browser.post('/second-factor/totp/code', { enrolment, code: '000000' })
  assert.match(wrong.body, /id="code-error"/)
  assert.equal(hiddenField(wrong.body, 'enrolment'), enrolment)
  const done = await browser.post('/second-factor/totp/code', {
    enrolment,
    code: codeAt(secretIn(page.body), currentStep()),
  })
  assert.equal(done.body.match(/<code>/g)?.length, 10)
  const factors = await user.does(getSecondFactors)
  assert.equal(factors.recovery_codes, 10)
  assert.ok(factors.totp_added_at)
  assert.ok((await actionsOf(user.id)).includes('totp_added'))
})

test('every change needs the password', async () => {
  const { user, browser } = await signedIn('dora')
  await addAuthenticator(world, user)
  for (const path of ['totp', 'totp/remove', 'recovery-codes']) {
    assert.match((await browser.open(`/second-factor/${path}`)).body, /name="password"/)
    const refused = await browser.post(`/second-factor/${path}`, { password: 'wrong' })
    assert.match(refused.body, /id="password-error"/)
  }
  assert.ok((await user.does(getSecondFactors)).totp_added_at)
})

test('removing the app removes the recovery codes, and signing in needs the password only', async () => {
  const { user, browser } = await signedIn('emil')
  await addAuthenticator(world, user)
  assert.equal((await browser.post('/second-factor/totp/remove', { password })).headers.location, '/second-factor')
  const { recovery_codes, totp_added_at } = await user.does(getSecondFactors)
  assert.deepEqual([recovery_codes, totp_added_at], [0, null])
  const next = await new FormBrowser(world).post('/login', { email: user.credentials.email, password })
  assert.equal(next.statusCode, 303)
  assert.ok((await actionsOf(user.id)).includes('totp_removed'))
})

test('new recovery codes replace the old ones', async () => {
  const { user, browser } = await signedIn('fred')
  const { recoveryCodes } = await addAuthenticator(world, user)
  const page = await browser.post('/second-factor/recovery-codes', { password })
  assert.equal(page.body.match(/<code>/g)?.length, 10)
  for (const old of recoveryCodes) assert.ok(!page.body.includes(old))
  assert.ok((await actionsOf(user.id)).includes('recovery_codes_replaced'))
})

test('a second app is refused, and so is the enrolment of another user', async () => {
  const { user, browser } = await signedIn('gina')
  const page = await browser.post('/second-factor/totp', { password })
  const form = { enrolment: hiddenField(page.body, 'enrolment'), code: codeAt(secretIn(page.body), currentStep()) }
  await addAuthenticator(world, user)
  assert.match((await browser.post('/second-factor/totp/code', form)).body, /already have an authenticator app/)
  const other = await signedIn('hugo')
  assert.equal((await other.browser.post('/second-factor/totp/code', form)).statusCode, 400)
  assert.equal((await other.user.does(getSecondFactors)).totp_added_at, null)
})

test('a user without password must have signed in within ten minutes', async () => {
  const { user, browser } = await signedIn('iris')
  await ctx.db.updateTable('users').set({ password_hash: null }).where('id', '=', user.id).execute()
  assert.match((await browser.post('/second-factor/totp', {})).body, /<svg class="qr"/)
  const past = new Date(Date.now() - 11 * 60_000)
  await ctx.db.updateTable('credentials').set({ created_at: past }).where('user_id', '=', user.id).execute()
  assert.match((await browser.post('/second-factor/totp', {})).body, /signed in too long ago/)
})

test('the pages need a session, and forms of other sites are refused', async () => {
  const visitor = new FormBrowser(world)
  assert.equal((await visitor.open('/second-factor')).headers.location, '/login')
  assert.equal((await visitor.post('/second-factor/totp', { password })).headers.location, '/login')
  const { browser } = await signedIn('jack')
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  assert.equal((await browser.post('/second-factor/totp', { password }, foreign)).statusCode, 403)
})
