import assert from 'node:assert/strict'
import { journey } from '../journey.ts'
import { line, toast, visit } from '../settings-page.ts'

journey('the owner of the only organization begins and ends maintenance, and changes the limit', async (context) => {
  const page = await context.signIn('Olivia')
  await visit(page, '#organization/server')
  await page.getByLabel('What the maintenance is for').fill('Back at 18:00')
  await page.getByRole('button', { name: 'Begin maintenance' }).click()
  const banner = page.locator('.offline', { hasText: 'Back at 18:00' })
  await banner.waitFor()
  await page.getByRole('button', { name: 'End maintenance' }).click()
  await banner.waitFor({ state: 'detached' })

  const limit = page.getByLabel('Requests per minute and person')
  await limit.fill('5000')
  await limit.blur()
  await toast(page, 'Saved')
  await page.getByRole('button', { name: 'Use the configured limit' }).click()
  await page.getByRole('button', { name: 'Use the configured limit' }).waitFor({ state: 'detached' })
  const owner = await context.demo.as('owner')
  assert.equal((await owner.call('getOwnServer')).rate_limit, null)
})

journey('an owner ends the session of a member, and changes their email', async ({ demo, signIn }) => {
  const member = await signIn('Marta')
  const page = await signIn('Olivia')
  await visit(page, '#organization/members')
  const menuOf = (name: string) => page.getByRole('button', { name: `Manage ${name}` }).click()
  const { full_name: name } = await (await demo.as('member')).call('getOwnUser')
  await menuOf(name)
  await page.getByRole('menuitem', { name: 'Where signed in …' }).click()
  await page.locator('dialog[open]').getByRole('button', { name: 'Sign out' }).first().click()
  await member.waitForURL(/\/login/)
  await page.keyboard.press('Escape')

  await menuOf(name)
  await page.getByRole('menuitem', { name: 'Change email …' }).click()
  await page.getByLabel('New email').fill('marta@example.com')
  await page.getByRole('button', { name: 'Change email', exact: true }).click()
  await line(page, name).getByText('marta@example.com').waitFor()
})
