import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { noSignOn } from '../../../config/sign-on-file.ts'
import { transactIn } from '../../../context.ts'
import { buildApp } from '../../../http/app.ts'
import { browserTest, checkLook } from '../../../testing/browser.ts'
import { newLoopback } from '../../../testing/peers/loopback.ts'
import { startOidcProvider } from '../../../testing/peers/start-oidc-provider.ts'
import { hashPassword } from '../../passwords/passwords.ts'
import { addTotp } from '../../second-factors/actions.ts'
import { codeAt, currentStep, newSecret } from '../../second-factors/totp.ts'

// The pages of signing in that no other test in Chromium shows. Passkeys: identity/second-factors/thorough/pages.test.ts.
const { ctx, ann, ben } = await newLoopback('localhost')
const { realm_id } = await ctx.db
  .selectFrom('users')
  .select('realm_id')
  .where('id', '=', ann.id)
  .executeTakeFirstOrThrow()
const password = 'quite a long sentence'
const password_hash = await hashPassword(password)
await ctx.db.updateTable('users').set({ password_hash }).where('id', 'in', [ann.id, ben.id]).execute()

const provider = await startOidcProvider({ sub: 'x', email: 'x@acme.test', email_verified: false, name: 'X' })
const signOn = {
  ...noSignOn,
  oidc: [{ id: 'acme', name: 'Acme', issuer: provider.issuer, ...provider.client }],
  header: [{ name: 'Intranet', email_header: 'X-Mail', trusted_proxies: ['127.0.0.1'] }],
  ldap: [{ id: 'corp', name: 'Corp', base: 'dc=corp', urls: ['ldap://127.0.0.1:9'] }],
}
const app = buildApp({ ...ctx, config: { ...ctx.config, signOn } })
after(() => app.close())
await app.listen({ port: 0, host: '127.0.0.1' })
const realm = `http://localhost:${(app.server.address() as AddressInfo).port}`
provider.register(`${realm}/login/oidc/acme/callback`)

async function enterPassword(page: Page, email: string) {
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('.primary')
}

async function requireFrom(seconds: number) {
  const settings = JSON.stringify({ second_factor_required_from: seconds })
  await ctx.pool.query('update realms set settings = settings || $1::jsonb where id = $2', [settings, realm_id])
  ctx.realms.drop(realm_id)
}

browserTest('the sign-in page with every method, and what it shows when they refuse', async (open) => {
  const page = await open(`${realm}/login`, { extraHTTPHeaders: { 'x-mail': 'nobody@acme.test' } })
  await checkLook(page, 'login-all')
  await page.click('text="Sign in with Intranet"')
  await page.waitForSelector('h1')
  assert.match((await page.textContent('body'))!, /no account/)
  await checkLook(page, 'login-header-refused')
  await page.goto(`${realm}/login`)
  await page.click('text="Sign in with Acme"')
  await page.waitForURL(/callback/)
  assert.match((await page.textContent('body'))!, /not confirmed your email/)
  await checkLook(page, 'login-oidc-refused')
})

browserTest('"shared computer" holds for every way to sign in', async (open) => {
  const page = await open(`${realm}/login`)
  const link = () => page.getAttribute('text="Sign in with Acme"', 'href')
  const passkey = () => page.inputValue('[data-passkey] [name=shared_computer]')
  await page.check('#shared_computer')
  assert.deepEqual([await link(), await passkey()], [`${realm}/login/oidc/acme?shared_computer=true`, 'true'])
  await page.uncheck('#shared_computer')
  assert.deepEqual([await link(), await passkey()], [`${realm}/login/oidc/acme?shared_computer=false`, 'false'])
})

browserTest('a code, a wrong one, and a recovery code', async (open) => {
  const secret = newSecret()
  const add = () =>
    transactIn(ctx, realm_id, (tx) => addTotp(tx, ctx.vault, ann.id, secret, codeAt(secret, currentStep())))
  const [recoveryCode] = await add()
  const page = await open(`${realm}/login`)
  await enterPassword(page, ann.credentials.email)
  await page.waitForSelector('#code')
  await checkLook(page, 'login-code')
  await page.fill('#code', '000000')
  await page.click('.primary')
  await page.waitForSelector('[aria-invalid]')
  await checkLook(page, 'login-code-wrong')
  await page.fill('#code', recoveryCode!)
  await page.click('.primary')
  await page.waitForURL(`${realm}/`)
})

browserTest('an app that opened the browser is opened again', async (open) => {
  const page = await open(`${realm}/login?mobile_flow_otp=${'ab'.repeat(32)}`)
  await enterPassword(page, ben.credentials.email)
  await page.waitForSelector('text="Open the app"')
  await checkLook(page, 'login-back-to-app')
})

browserTest('a second factor that the organization requires: later, and now', async (open) => {
  await requireFrom(Math.floor(Date.now() / 1000) + 86_400)
  const page = await open(`${realm}/login`)
  await enterPassword(page, ben.credentials.email)
  await page.waitForSelector('text=/two-step/')
  await checkLook(page, 'login-grace')
  await requireFrom(1)
  await page.context().clearCookies()
  await page.goto(`${realm}/login`)
  await enterPassword(page, ben.credentials.email)
  await page.waitForSelector('#code')
  await checkLook(page, 'login-enrol')
  await page.fill('#code', '000000')
  await page.click('.primary')
  await page.waitForSelector('[aria-invalid]')
  await checkLook(page, 'login-enrol-wrong')
  await requireFrom(0)
})
