import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserTest, checkLook } from '../../../testing/browser.ts'
import { newLoopback } from '../../../testing/peers/loopback.ts'
import { hashPassword } from '../../passwords/passwords.ts'
import { codeAt, currentStep } from '../totp.ts'

// Passkeys need a host name; browsers treat this one as secure.
const { ctx, realm, ann, ben } = await newLoopback('localhost')
const password = 'quite a long sentence'
const password_hash = await hashPassword(password)
await ctx.db.updateTable('users').set({ password_hash }).where('id', 'in', [ann.id, ben.id]).execute()

async function enterPassword(page: Page, email: string) {
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('.primary')
}

/** Opens the page of second factors as a signed-in user. */
async function openFactors(page: Page, email: string) {
  await enterPassword(page, email)
  await page.waitForURL(`${realm}/`)
  await page.goto(`${realm}/second-factor`)
}

async function confirm(page: Page) {
  await page.fill('#password', password)
  await page.click('.primary')
}

/** Chromium's own authenticator, with a screen lock that always recognizes the user. */
async function plugIn(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const sure = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...sure } })
}

/** How many recovery codes are wider than their place, and so run into the next one or out of the page. */
const cutCodes = `[...document.querySelectorAll('.codes li')].filter((one) => one.scrollWidth > one.clientWidth).length`

browserTest('a user adds a passkey and signs in with it, without password and as second factor', async (open) => {
  const page = await open(`${realm}/login`)
  await plugIn(page)
  await openFactors(page, ann.credentials.email)
  await checkLook(page, 'second-factors-none')
  await page.click('text="Add a passkey"')
  await checkLook(page, 'second-factors-confirm')
  await confirm(page)
  await checkLook(page, 'second-factors-passkey')
  await page.fill('#name', 'Key on my desk')
  await page.click('text="Continue"')
  await page.waitForSelector('.codes')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.click('text="Copy"')
  await page.waitForSelector('text="Copied"')
  const codes = await page.locator('.codes li').allTextContents()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), codes.join('\n'))
  assert.ok(await page.isVisible('text="Print"'))
  await checkLook(page, 'second-factors-codes')
  await page.setViewportSize({ width: 390, height: 844 })
  assert.equal(await page.evaluate(cutCodes), 0)
  await page.click('.primary')
  await page.waitForSelector('text=/Key on my desk/')
  await checkLook(page, 'second-factors-some')
  await page.context().clearCookies()
  await page.goto(`${realm}/login`)
  await checkLook(page, 'login-passkey')
  await page.click('text="Sign in with a passkey"')
  await page.waitForURL(`${realm}/`)
  await page.context().clearCookies()
  await page.goto(`${realm}/login`)
  await enterPassword(page, ann.credentials.email)
  await page.waitForSelector('text="Use your passkey"')
  await checkLook(page, 'login-second-passkey')
  await page.click('text="Use a passkey"')
  await page.waitForURL(`${realm}/`)
})

browserTest('a user adds an authenticator app, without JavaScript too, and signs in with a code', async (open) => {
  const page = await open(`${realm}/login`)
  await openFactors(page, ben.credentials.email)
  await page.click('text="Set up an authenticator app"')
  await confirm(page)
  await checkLook(page, 'second-factors-qr')
  const letters = (await page.textContent('strong'))!.replaceAll(' ', '')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...letters].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const secret = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
  await page.fill('#code', codeAt(secret, currentStep()))
  await page.click('.primary')
  await page.waitForSelector('.codes')
  const plain = await open(`${realm}/login`, { javaScriptEnabled: false })
  await enterPassword(plain, ben.credentials.email)
  assert.equal(await plain.isVisible('text="Use a passkey"'), false)
  await plain.fill('#code', codeAt(secret, currentStep() + 1))
  await plain.click('.primary')
  await plain.waitForURL(`${realm}/`)
})

browserTest('a browser without a passkey says that it did not work', async (open) => {
  const page = await open(`${realm}/login`)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
  assert.equal(await page.isVisible('[data-passkey-error]'), false)
  await page.click('text="Sign in with a passkey"')
  await page.waitForSelector('[data-passkey-error]:not([hidden])')
  assert.equal(await page.isEnabled('text="Sign in with a passkey"'), true)
})
