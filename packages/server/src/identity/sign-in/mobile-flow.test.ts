import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateRealm } from '@parley/api/organization/realm'
import { FormBrowser, hiddenField } from '../../testing/forms.ts'
import { addAuthenticator, secretIn } from '../../testing/peers/authenticator.ts'
import { newWorld } from '../../testing/world.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { codeAt, currentStep } from '../second-factors/totp.ts'

const world = await newWorld()
const { ctx, olga, ann, ben } = world
const password = 'quite a long sentence'
const password_hash = await hashPassword(password)
await ctx.db.updateTable('users').set({ password_hash }).where('id', 'in', [ann.id, ben.id]).execute()
const otp = '5a'.repeat(32)

function keyIn(body: string): string {
  const [, url] = /href="(zulip:[^"]*)"/.exec(body)!
  const params = new URL(url!.replaceAll('&amp;', '&')).searchParams
  return Buffer.from(Buffer.from(params.get('otp_encrypted_api_key')!, 'hex').map((byte) => byte ^ 0x5a)).toString()
}

test('an app signs in through the page, with password and code, and gets the API key', async () => {
  const { code } = await addAuthenticator(world, ann)
  const browser = new FormBrowser(world)
  const page = await browser.open(`/login?mobile_flow_otp=${otp}`)
  const form = { mobile_flow_otp: hiddenField(page.body, 'mobile_flow_otp'), email: ann.credentials.email, password }
  const step = await browser.post('/login', form)
  const done = await browser.post('/login/code', { pending: hiddenField(step.body, 'pending'), code: code() })
  assert.equal(keyIn(done.body), ann.credentials.key)
  assert.equal(done.headers['set-cookie'], undefined)
})

test('a browser that is signed in still asks who uses the app', async () => {
  const browser = new FormBrowser(world)
  await browser.post('/login', { email: ben.credentials.email, password })
  assert.equal((await browser.open(`/login?mobile_flow_otp=${otp}`)).statusCode, 200)
})

test('a wrong password keeps the one-time pad; a malformed pad is refused', async () => {
  const browser = new FormBrowser(world)
  const form = { mobile_flow_otp: otp, email: ben.credentials.email }
  const again = await browser.post('/login', { ...form, password: 'wrong' })
  assert.equal(hiddenField(again.body, 'mobile_flow_otp'), otp)
  for (const bad of ['zz', otp.slice(2), `${otp}00`])
    assert.equal((await browser.post('/login', { ...form, password, mobile_flow_otp: bad })).statusCode, 400)
})

test('an app gets the API key also where the organization begins to require a second factor', async () => {
  const now = Math.floor(Date.now() / 1000)
  const form = { mobile_flow_otp: otp, email: ben.credentials.email, password }
  await olga.does(updateRealm, { second_factor_required_from: now + 86_400 })
  const reminded = await new FormBrowser(world).post('/login', form)
  assert.equal(keyIn(reminded.body), ben.credentials.key)
  await olga.does(updateRealm, { second_factor_required_from: now - 1 })
  const browser = new FormBrowser(world)
  const { body } = await browser.post('/login', form)
  const code = codeAt(secretIn(body), currentStep())
  const fields = { pending: hiddenField(body, 'pending'), enrolment: hiddenField(body, 'enrolment') }
  assert.equal(keyIn((await browser.post('/login/enrol', { ...fields, code })).body), ben.credentials.key)
})
