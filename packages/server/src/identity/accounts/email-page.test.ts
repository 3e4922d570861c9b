import assert from 'node:assert/strict'
import { updateSettings } from '@parley/api/people/own-settings'
import { getOwnUser } from '@parley/api/people/users'
import { one } from '../../platform/db/query.ts'
import { browserTest, checkLook } from '../../testing/browser.ts'
import { newLoopback } from '../../testing/peers/loopback.ts'
import { confirmationToken } from './email-changes.ts'

const { ctx, realm, ann } = await newLoopback()

/** The link in the email. */
async function requestChange(email: string): Promise<string> {
  await ann.does(updateSettings, { email })
  const { realm_id, id } = await one<{ id: number; realm_id: number }>(ctx.db)`select id, realm_id from email_changes`
  return `${realm}/accounts/confirm_new_email/${confirmationToken(ctx.vault, realm_id, id)}`
}

for (const javaScriptEnabled of [true, false])
  browserTest(
    `an email change is confirmed by a click, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`,
    async (open) => {
      const email = `anna-${javaScriptEnabled}@x.example`
      const page = await open(await requestChange(email), { javaScriptEnabled })
      if (javaScriptEnabled) await checkLook(page, 'confirm-email')
      await page.click('button')
      assert.equal(await page.textContent('h1'), 'Your email address has been changed')
      ann.credentials.email = email
      assert.equal((await ann.does(getOwnUser)).delivery_email, email)
    },
  )

browserTest('an unknown path has a page', async (open) => {
  await checkLook(await open(`${realm}/nowhere`), 'not-found')
})
