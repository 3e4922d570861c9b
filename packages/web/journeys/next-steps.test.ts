import { journey } from './journey.ts'

journey(
  'the owner of a nearly empty organization sees next steps, which go when they are done or skipped',
  async ({ demo, signIn }) => {
    await demo.sql(`update users set is_active = false where bot_type is null and role > 100`)
    const page = await signIn('Olivia')
    const card = page.getByRole('region', { name: 'Next steps' })
    await card.getByRole('link', { name: 'Invite' }).waitFor()
    await card.getByRole('button', { name: 'Skip: Invite people' }).click()
    await card.getByRole('link', { name: 'Invite' }).waitFor({ state: 'detached' })
    await page.reload()
    await card.getByRole('link', { name: 'Choose' }).waitFor()
    await card.getByRole('button', { name: 'Dismiss' }).click()
    await card.waitFor({ state: 'detached' })
  },
)
