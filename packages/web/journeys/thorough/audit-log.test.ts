import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { allThemes, findProblems } from '../../../server/src/testing/browser.ts'
import { until } from '../../../server/src/testing/until.ts'
import { type Journey, journey } from '../journey.ts'

async function openAuditLog(
  { signIn, demo }: Journey,
  person: string,
  viewport = { width: 1280, height: 860 },
): Promise<Page> {
  const page = await signIn(person, '#inbox', { viewport })
  await page.goto(`${demo.url}/#organization/audit-log`)
  return page
}

journey('an owner finds in the audit log what an administrator changed', async (context) => {
  const admin = await context.demo.as('admin')
  await admin.call('updateRealm', { mandatory_topics: true } as never)
  await admin.call('updateRealm', { mandatory_topics: false } as never)
  const page = await openAuditLog(context, 'Olivia')
  const entry = page.locator('.audit-entry', { hasText: 'Amir changed settings of the organization' })
  await entry.first().waitFor()
  assert.equal(await entry.count(), 2)
  assert.ok((await page.locator('.audit-entry').count()) > 2)
  await page.selectOption('select[aria-label=What]', { label: 'changed settings of the organization' })
  await page.waitForFunction(() => document.querySelectorAll('.audit-entry').length === 2)
  await entry.first().locator('summary').focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('.audit-entry[open] dd:has-text("mandatory_topics: false")')
  assert.match((await entry.first().textContent())!, /Before.*mandatory_topics: true.*After.*mandatory_topics: false/)
  assert.match((await entry.first().textContent())!, /API key/)
  const [filtered] = await Promise.all([page.waitForEvent('download'), page.click('a:has-text("Export as JSON")')])
  const lines = (await readFile((await filtered.path())!, 'utf8')).trim().split('\n')
  assert.deepEqual([...new Set(lines.map((line) => JSON.parse(line).action))], ['realm_updated'])
  await page.fill('input[aria-label=Who]', 'Marta')
  await page.keyboard.press('Enter')
  await page.waitForSelector('text=No entries match these filters.')
  await page.click('button:has-text("Clear filters")')
  await page.waitForFunction(() => document.querySelectorAll('.audit-entry').length > 2)

  const [download] = await Promise.all([page.waitForEvent('download'), page.click('a:has-text("Export as CSV")')])
  assert.equal(download.suggestedFilename(), 'audit-log.csv')
})

journey('the audit log shows more, and is filtered by account and by day', async (context) => {
  const admin = await context.demo.as('admin')
  for (let change = 0; change < 110; change++) await admin.call('updateRealm', { mandatory_topics: change % 2 === 0 })
  const page = await openAuditLog(context, 'Olivia')
  const entries = (is: (count: number) => boolean) => until(async () => is(await page.locator('.audit-entry').count()))
  await entries((count) => count === 100)
  await page.click('button:has-text("Show more")')
  await entries((count) => count > 110)

  const { user_id } = await (await context.demo.as('ines')).call('getOwnUser', {})
  await admin.call('updateUser', { path: { user_id }, role: 300 })
  await page.fill('input[aria-label="Whose account"]', 'Ines')
  await page.keyboard.press('Enter')
  await until(async () => {
    const texts = await page.locator('.audit-entry').allTextContents()
    return texts.some((text) => text.includes('Amir')) && texts.every((text) => text.includes('Ines'))
  })
  await page.click('button:has-text("Whose account: Ines")')
  await entries((count) => count === 100)
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('From', { exact: true }).fill(day(2))
  await page.waitForSelector('text=No entries match these filters.')
  await page.getByLabel('From', { exact: true }).fill(day(-2))
  await entries((count) => count === 100)
  await page.getByLabel('To', { exact: true }).fill(day(-2))
  await page.waitForSelector('text=No entries match these filters.')
})

journey('the audit log is accessible on phones and in every theme', async (context) => {
  const page = await openAuditLog(context, 'Olivia', { width: 390, height: 844 })
  await page.locator('.audit-entry summary').first().click()
  await page.waitForSelector('.audit-entry[open]')
  const problems = await findProblems(page, { name: 'audit log', part: { include: ['main'] }, themes: allThemes })
  assert.deepEqual(problems, [])
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(width <= 390, `${width} px wide`)
})

journey('members have no audit log, and see the sign-ins to their own account', async (context) => {
  const page = await openAuditLog(context, 'Marta')
  await page.waitForSelector('.settings')
  assert.equal(await page.locator('.audit-entry').count(), 0)
  await page.goto(`${context.demo.url}/#settings/sessions`)
  await page.waitForSelector('.card:has-text("Recent sign-ins") .line-item:has-text("Signed in")')
  const part = { include: ['.card:has(.line-item)'] }
  assert.deepEqual(await findProblems(page, { name: 'sign-ins', part, themes: allThemes }), [])
})
