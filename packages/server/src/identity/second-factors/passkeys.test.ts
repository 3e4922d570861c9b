import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { getSecondFactors } from '@parley/api/identity/second-factors'
import { fetchApiKey } from '@parley/api/server'
import { column } from '../../platform/db/query.ts'
import { FormBrowser } from '../../testing/forms.ts'
import { type Forgery, passkeyRequest, SoftPasskey } from '../../testing/peers/passkey.ts'
import { newWorld } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'

const world = await newWorld()
const { ctx, ben } = world
const password = 'quite a long sentence'
const password_hash = await hashPassword(password)
const site = { rpId: world.host, origin: `http://${world.host}` }

/** A new user with a signed-in browser. */
async function signedIn(name: string) {
  const user = await world.add(name)
  await ctx.db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute()
  const browser = new FormBrowser(world)
  await browser.post('/login', { email: user.credentials.email, password })
  return { user, browser }
}

async function addPasskey(browser: FormBrowser, forged: Forgery = {}) {
  const { challenge, options } = passkeyRequest((await browser.post('/second-factor/passkeys', { password })).body)
  const passkey = new SoftPasskey(site)
  const response = passkey.create(options, forged)
  const answer = await browser.post('/second-factor/passkeys/add', { challenge, response })
  return { passkey, answer, again: () => browser.post('/second-factor/passkeys/add', { challenge, response }) }
}

/** A new user with a passkey. */
async function withPasskey(name: string) {
  const { user, browser } = await signedIn(name)
  return { user, browser, ...(await addPasskey(browser)) }
}

async function signIn(passkey: SoftPasskey, forged: Forgery = {}, more: Record<string, string> = {}) {
  const visitor = new FormBrowser(world)
  const { challenge, options } = passkeyRequest((await visitor.open('/login')).body)
  const response = passkey.get(options, forged)
  return {
    visitor,
    challenge,
    response,
    answer: await visitor.post('/login/passkey', { challenge, response, ...more }),
  }
}

test('a passkey signs in without email and password', async () => {
  const { user, passkey, answer } = await withPasskey('cora')
  assert.equal(answer.body.match(/<code>/g)?.length, 10) // recovery codes with the first factor
  const { visitor, answer: done } = await signIn(passkey)
  assert.equal(done.headers.location, '/')
  assert.match((await visitor.open('/sessions')).body, /signed in as Cora/)
  const rows = await column<string>(ctx.db)`
    select target ->> 'method' from audit_log where action = 'signed_in' and (target ->> 'user_id') = ${String(user.id)}
     order by number`
  assert.equal(rows.at(-1), 'passkey')
  assert.equal((await user.does(getSecondFactors)).passkeys, 1)
})

const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const forgeries: Record<string, Forgery> = {
  'of another site': { origin: 'https://evil.example' },
  'for another host name': { rpId: 'evil.example' },
  'without the screen lock': { isVerified: false },
  'signed by another key': { signWith: otherKey },
  'to a request for a new passkey': { type: 'webauthn.create' },
  'that names another account': { userHandle: Buffer.from('1 1').toString('base64url') },
  'whose counter goes back': { count: 0 },
}
test('on a shared computer the session of a passkey ends with the browser', async () => {
  const { passkey } = await withPasskey('dana')
  for (const shared_computer of ['true', 'false']) {
    const { answer } = await signIn(passkey, {}, { shared_computer })
    assert.equal(
      /parley=[^;]{20,}; [^,]*Max-Age/.test(String(answer.headers['set-cookie'])),
      shared_computer === 'false',
    )
  }
})

test('hostile answers sign nobody in', async () => {
  const { passkey } = await withPasskey('dora')
  await signIn(passkey)
  for (const [name, forged] of Object.entries(forgeries)) {
    passkey.count = 5
    const { answer } = await signIn(passkey, forged)
    assert.equal(answer.statusCode, 401, `an answer ${name}`)
    assert.equal(answer.headers['set-cookie'], undefined)
  }
  assert.equal((await signIn(passkey, { count: 6 })).answer.statusCode, 303)
})

test('an answer works once, and only for the challenge it was made for', async () => {
  const { passkey } = await withPasskey('emil')
  const { visitor, challenge, response, answer } = await signIn(passkey)
  assert.equal(answer.statusCode, 303)
  assert.equal((await visitor.post('/login/passkey', { challenge, response })).statusCode, 401)
  const other = passkeyRequest((await new FormBrowser(world).open('/login')).body)
  assert.equal((await visitor.post('/login/passkey', { challenge: other.challenge, response })).statusCode, 401)
  for (const broken of ['', 'null', '{}', '[]', '{"id":7}', 'not json'])
    assert.equal(
      (await visitor.post('/login/passkey', { challenge: other.challenge, response: broken })).statusCode,
      401,
    )
})

test('answers from another site or without the screen lock add no passkey', async () => {
  const { user, browser } = await signedIn('fred')
  for (const forged of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { isVerified: false }])
    assert.equal((await addPasskey(browser, forged)).answer.statusCode, 401)
  const { again } = await addPasskey(browser)
  assert.equal((await again()).statusCode, 400)
  assert.equal((await user.does(getSecondFactors)).passkeys, 1)
})

test('with a passkey, the password alone is not enough: the passkey or a recovery code is the second factor', async () => {
  const { user, passkey, answer } = await withPasskey('gina')
  const username = user.credentials.email
  assert.equal((await ben.isRefused(fetchApiKey, { username, password })).code, 'SECOND_FACTOR_REQUIRED')
  const visitor = new FormBrowser(world)
  const page = (await visitor.post('/login', { email: username, password })).body
  const [, pending] = /name="pending" value="([^"]*)"/.exec(page)!
  const { challenge, options } = passkeyRequest(page)
  const done = await visitor.post('/login/passkey', { pending: pending!, challenge, response: passkey.get(options) })
  assert.equal(done.headers.location, '/')
  const [, code] = /<code>([^<]*)</.exec(answer.body)!
  assert.equal((await visitor.post('/login/code', { pending: pending!, code: code! })).headers.location, '/')
})

test('the passkey of another user is no second factor', async () => {
  const [one, other] = [await withPasskey('hugo'), await withPasskey('iris')]
  const visitor = new FormBrowser(world)
  const page = (await visitor.post('/login', { email: one.user.credentials.email, password })).body
  const [, pending] = /name="pending" value="([^"]*)"/.exec(page)!
  const { challenge, options } = passkeyRequest(page)
  const response = other.passkey.get(options)
  assert.equal((await visitor.post('/login/passkey', { pending: pending!, challenge, response })).statusCode, 401)
})

test('the passkey of a deactivated account does not sign in', async () => {
  const { user, passkey } = await withPasskey('jack')
  await ctx.db.updateTable('users').set({ is_active: false }).where('id', '=', user.id).execute()
  const { answer } = await signIn(passkey)
  assert.equal(answer.statusCode, 401)
  assert.match(answer.body, /deactivated/)
})

test('removing the last passkey needs the password, and ends the recovery codes', async () => {
  const { user, browser, passkey } = await withPasskey('kate')
  const [, path] = /href="(\/second-factor\/passkeys\/\d+\/remove)"/.exec((await browser.open('/second-factor')).body)!
  assert.match((await browser.post(path!, { password: 'wrong' })).body, /id="password-error"/)
  const stranger = await signedIn('lisa')
  assert.equal((await stranger.browser.post(path!, { password })).statusCode, 400)
  assert.equal((await browser.post(path!, { password })).headers.location, '/second-factor')
  const { passkeys, recovery_codes } = await user.does(getSecondFactors)
  assert.deepEqual([passkeys, recovery_codes], [0, 0])
  assert.equal((await signIn(passkey)).answer.statusCode, 401)
})
