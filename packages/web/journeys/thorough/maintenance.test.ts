import { journey, messageWith, openTopic, send } from '../journey.ts'

journey('maintenance is announced, and a message that it refuses can be sent afterwards', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await openTopic(page, demo, 'general', 'maintenance')
  await demo.command('maintenance', 'on', 'Back at 18:00')
  const banner = page.locator('.offline', { hasText: 'Back at 18:00' })
  await banner.waitFor()
  await send(page, 'refused for now')
  await page.getByText('Not sent: Nothing can be changed during maintenance: Back at 18:00').waitFor()
  await page.reload()
  await banner.waitFor()

  await demo.command('maintenance', 'off')
  await banner.waitFor({ state: 'detached' })
  await messageWith(page, 'refused for now').getByRole('button', { name: 'Try again' }).click()
  await page.locator('article.msg:not(.pending)', { hasText: 'refused for now' }).waitFor()
})
