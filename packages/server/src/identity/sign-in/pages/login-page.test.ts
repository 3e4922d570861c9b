import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { transactIn } from '../../../context.ts'
import { buildApp } from '../../../http/app.ts'
import { browserTest, checkLook } from '../../../testing/browser.ts'
import { newLoopback } from '../../../testing/peers/loopback.ts'
import { createPasswordReset } from '../../accounts/password-reset.ts'
import { hashPassword } from '../../passwords/passwords.ts'

const { ctx, realm, ann } = await newLoopback()
const password = 'quite a long sentence'
await ctx.db
  .updateTable('users')
  .set({ password_hash: await hashPassword(password) })
  .where('id', '=', ann.id)
  .execute()

/** The same organization on a demo server that sends email. */
const mailer = { send: async () => {}, close: () => {} }
const demo = buildApp({ ...ctx, mailer, config: { ...ctx.config, mode: 'demo' } })
await demo.listen({ port: 0, host: '127.0.0.1' })
after(() => demo.close())
const demoUrl = `http://127.0.0.1:${(demo.server.address() as AddressInfo).port}`

browserTest('a user signs in and out', async (open) => {
  const page = await open(`${realm}/sessions`)
  await checkLook(page, 'login')
  await page.fill('#email', ann.credentials.email)
  await page.fill('#password', 'wrong')
  await page.click('.primary')
  assert.match((await page.textContent('[role=alert]'))!, /incorrect/)
  assert.equal(await page.inputValue('#email'), ann.credentials.email)
  await checkLook(page, 'login-refused')
  await page.fill('#password', password)
  await page.click('.primary')
  await page.waitForURL(`${realm}/`)
  await page.goto(`${realm}/sessions`)
  assert.match((await page.textContent('h1'))!, /signed in as ann/)
  await checkLook(page, 'home')
  await page.click('text="Sign out"')
  await page.waitForURL(`${realm}/login`)
})

browserTest('without JavaScript, a demo account is picked by one click', async (open) => {
  const page = await open(`${demoUrl}/login`, { javaScriptEnabled: false })
  await page.click('.person')
  await page.goto(`${demoUrl}/sessions`)
  assert.match((await page.textContent('h1'))!, /signed in as ann/)
})

browserTest('the demo and the pages to reset a password look right', async (open) => {
  const page = await open(`${demoUrl}/login`)
  await checkLook(page, 'login-demo')
  await page.click('text="Forgotten?"')
  await checkLook(page, 'reset')
  await page.fill('#email', 'ann@loopback.example')
  await page.click('.primary')
  await checkLook(page, 'reset-sent')
})

for (const javaScriptEnabled of [true, false])
  browserTest(`a new password is set behind the link, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async (open) => {
    const { id: realmId } = (
      await ctx.db.selectFrom('realms').select('id').where('name', '=', 'Loopback').execute()
    )[0]!
    const { email } = ann.credentials
    const token = await transactIn(ctx, realmId, (tx) => createPasswordReset(tx, { id: ann.id, email }, null))
    const page = await open(`${realm}/reset/${token}`, { javaScriptEnabled })
    await page.fill('#password', 'password')
    await page.click('.primary')
    assert.match((await page.textContent('#password-error'))!, /too easy to guess/)
    if (javaScriptEnabled) await checkLook(page, 'reset-password')
    await page.fill('#password', password)
    await page.click('.primary')
    assert.equal(await page.textContent('h1'), 'Your password has been changed')
    if (javaScriptEnabled) await checkLook(page, 'reset-done')
  })
