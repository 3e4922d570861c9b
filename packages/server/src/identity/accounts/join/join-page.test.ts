import assert from 'node:assert/strict'
import { sendInvitations } from '@parley/api/identity/invitations'
import { transactIn } from '../../../context.ts'
import { deactivateRealm, reactivationToken } from '../../../organization/realms/deactivate-realm.ts'
import { browserTest, checkLook } from '../../../testing/browser.ts'
import { newLoopback } from '../../../testing/peers/loopback.ts'

const { ctx, realm, ann } = await newLoopback()

async function invited(email: string): Promise<string> {
  const { invite_links } = await ann.does(sendInvitations, { invitee_emails: email })
  return realm + new URL(invite_links![0]!.link_url).pathname
}

browserTest('a person joins with an invitation', async (open) => {
  const link = await invited('nora@x.test')
  const page = await open(link)
  await checkLook(page, 'join')
  await page.fill('#full_name', 'Nora')
  await page.fill('#password', 'nora')
  await page.click('.primary')
  await checkLook(page, 'join-refused')
  await page.fill('#password', 'quite a long sentence')
  await page.waitForSelector('.meter:not([hidden])')
  await checkLook(page, 'join-password')
  await page.click('.primary')
  await page.waitForURL(`${realm}/`)
  await page.goto(link)
  assert.match((await page.textContent('main'))!, /was already used/)
  await checkLook(page, 'join-used')
})

browserTest('a person joins without JavaScript', async (open) => {
  const page = await open(await invited('olaf@x.test'), { javaScriptEnabled: false })
  await page.fill('#full_name', 'Olaf')
  await page.fill('#password', 'quite a long sentence')
  await page.click('.primary')
  await page.goto(`${realm}/sessions`)
  assert.match((await page.textContent('h1'))!, /signed in as Olaf/)
})

browserTest('a person joins in the language of their browser, or else in that of the organization', async (open) => {
  const languageOf = async (name: string) => {
    const users = ctx.db.selectFrom('users').select('settings').where('full_name', '=', name)
    return ((await users.executeTakeFirstOrThrow()).settings as { default_language?: string }).default_language
  }
  for (const [name, locale, language] of [
    ['Renée', 'fr-CA', 'fr'],
    ['Sayyida', 'ar', 'ar'],
    ['Tlh', 'tlh', 'en'],
  ] as const) {
    const page = await open(await invited(`${locale}@x.test`), { locale })
    assert.equal(await page.getAttribute('html', 'lang'), language)
    await checkLook(page, `join-${locale}`)
    await page.fill('#full_name', name)
    await page.fill('#password', 'quite a long sentence')
    await page.click('.primary')
    await page.waitForURL(`${realm}/`)
    assert.equal((await languageOf(name)) ?? 'en', language)
  }
})

browserTest('an owner reactivates the organization, without JavaScript too', async (open) => {
  const { realm_id } = await ctx.db
    .selectFrom('users')
    .select('realm_id')
    .where('id', '=', ann.id)
    .executeTakeFirstOrThrow()
  for (const javaScriptEnabled of [true, false]) {
    const at = await transactIn(ctx, realm_id, (tx) => deactivateRealm(tx, null))
    const link = `${realm}/reactivate/${reactivationToken(ctx.vault, realm_id, at)}`
    const page = await open(link, { javaScriptEnabled })
    if (javaScriptEnabled) await checkLook(page, 'reactivate')
    await page.click('.primary')
    assert.match((await page.textContent('h1'))!, /is active again/)
    if (javaScriptEnabled) await checkLook(page, 'reactivated')
  }
})
