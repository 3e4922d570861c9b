import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { allThemes, findProblems } from '../../../server/src/testing/browser.ts'
import { journey, messageWith } from '../journey.ts'
import { card, confirm, line, toast, visit } from '../settings-page.ts'

const widths = { desktop: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } }

async function checkLook(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(widths)) {
    await page.setViewportSize(viewport)
    const part = { include: ['main'] }
    const themes = allThemes.filter(({ contrast }) => contrast === 'normal')
    assert.deepEqual(await findProblems(page, { name: `${name}-${size}`, part, themes }), [])
  }
}

journey('an integration: from the catalogue to the first message in four clicks', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  let clicks = 0
  const click = async (name: string) => {
    clicks++
    await page.locator('main').getByText(name, { exact: true }).click()
  }
  await visit(page, '#settings/integrations')
  await checkLook(page, 'integrations')
  await click('GitHub')
  await page.getByLabel('Topic', { exact: true }).waitFor()
  await checkLook(page, 'integrations-add')
  await click('Create hook')
  await card(page, 'Requests').getByText('Waiting for the first request…').waitFor()
  await card(page, 'GitHub').getByText('Payload URL').waitFor()
  await checkLook(page, 'integrations-waiting')
  await click('Send test')
  await toast(page, 'Test sent')
  await line(card(page, 'Requests'), 'Message sent').first().waitFor()
  assert.ok(clicks <= 6)

  const url = await page.getByLabel('URL', { exact: true }).inputValue()
  await fetch(url, { method: 'POST', headers: { 'x-github-event': 'gollum' }, body: '{"sender":{"login":"rosa"}}' })
  await line(card(page, 'Requests'), 'Unknown event').waitFor()
  const olivia = await demo.as('owner')
  const { messages } = await olivia.call('getMessages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.match(messages[0]!.content, /Test: an example of what GitHub sends/)
  assert.equal(messages[0]!.sender_full_name, 'GitHub')
  await confirm(line(card(page, 'Settings of this hook'), 'Delete this hook').getByRole('button'))
  await toast(page, 'Hook deleted')
  await card(page, 'Incoming hooks').getByText('No hooks yet').waitFor()
})

journey('a template is made from a request of the log, with a preview', async ({ demo, signIn }) => {
  const page = await signIn('Olivia')
  const olivia = await demo.as('owner')
  const { stream_id } = await olivia.call('getChannelId', { stream: 'general' })
  const given = { integration: 'json', name: 'Backups', channel_id: stream_id }
  const { id, url } = await olivia.call('createHook', given)
  await fetch(new URL(new URL(url).pathname, demo.url), { method: 'POST', body: '{"service":"db","size":17}' })
  await visit(page, `#settings/integrations/${id}`)
  const requests = card(page, 'Requests')
  await requests.getByRole('button', { name: 'Make a template' }).click()
  const templates = card(page, 'Templates')
  await templates.getByLabel('Message').fill('{{ service | bold }}: {{ size }} GB')
  await templates.getByLabel('Topic').fill('Backup of {{ service }}')
  await templates.locator('.hook-preview p:has-text("db: 17 GB")').waitFor()
  await checkLook(page, 'integrations-template')
  await templates.getByRole('button', { name: 'Save' }).click()
  await toast(page, 'Saved')
  await requests.getByRole('button', { name: 'Replay' }).first().click()
  await toast(page, 'Handled again')
  await page.goto(`${demo.url}/#narrow/channel/${stream_id}-general/topic/Backup.20of.20db`)
  await messageWith(page, 'db: 17 GB').waitFor()
})
