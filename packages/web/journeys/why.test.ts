import assert from 'node:assert/strict'
import { type Journey, journey } from './journey.ts'
import { line, visit } from './settings-page.ts'

async function generalOf(demo: Journey['demo']): Promise<number> {
  const { stream_id } = await (await demo.as('member')).call('getChannelId', { stream: 'general' })
  return stream_id
}

journey('a disabled control says why, and who can help', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await visit(page, `#channels/${await generalOf(demo)}`)
  const name = line(page, 'Name')
  assert.ok(await name.getByRole('textbox').isDisabled())
  await name.getByRole('button', { name: 'Why am I not allowed?' }).click()
  const card = page.getByRole('dialog', { name: 'Why am I not allowed?' })
  await card.getByText('Only administrators of this channel can change this.').waitFor()
  await card.getByRole('button', { name: 'Olivia' }).click()
  await page.getByRole('dialog', { name: 'Olivia' }).waitFor()
})

journey('a permission says through which group the viewer has it, or who has it instead', async ({ demo, signIn }) => {
  const page = await signIn('Marta')
  await visit(page, `#channels/${await generalOf(demo)}`)
  const answer = async (permission: string, label: string) => {
    await line(page, permission).getByRole('button', { name: label }).click()
    const text = await page.getByRole('dialog', { name: label }).innerText()
    await page.keyboard.press('Escape')
    return text
  }
  assert.match(
    await answer('Who may post here', 'Why am I allowed?'),
    /You have this permission through (Everyone|Members)\./,
  )
  assert.match(
    await answer('Who may administer this channel', 'Why am I not allowed?'),
    /Only these have this permission: /,
  )
})
