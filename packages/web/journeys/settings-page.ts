import assert from 'node:assert/strict'
import type { ParleyClient } from '@parley/client/wire/client'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../server/src/testing/until.ts'

type Values = Record<string, unknown>
type Read = () => Promise<Values>

/** A GIF of one pixel. */
export const image = {
  name: 'image.gif',
  mimeType: 'image/gif',
  buffer: Buffer.from('R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=', 'base64'),
}

export async function visit(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await page.waitForSelector('main .card')
  await page.waitForSelector('main .skeleton', { state: 'detached' })
}

export function card(page: Page, title: string): Locator {
  return page.locator('main .card', { has: page.getByRole('heading', { name: title, exact: true }) })
}

/** The line with this label, of a card or of the page. */
export function line(within: Page | Locator, label: string): Locator {
  const page = 'page' in within ? within.page() : within
  return within.locator('.line-item', {
    has: page.locator(`xpath=./div//*[self::b or self::label][normalize-space()=${JSON.stringify(label)}]`),
  })
}

export async function toast(page: Page, text: string): Promise<void> {
  await page.waitForSelector(`.toast:has-text(${JSON.stringify(text)})`)
}

/** Undoes what was done last. */
export async function undo(page: Page): Promise<void> {
  await page.click('.toast button:has-text("Undo")')
  await page.waitForSelector('.toast span:text-is("Undone")')
}

/** Replaces the text of a field that is saved when it is left. */
export async function write(page: Page | Locator, label: string, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: label, exact: true })
  await field.fill(text)
  await field.blur()
}

/** Picks an option from the field that offers some. */
export async function pick(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).fill(option)
  await page.click(`[role=option]:has-text(${JSON.stringify(option)})`)
}

/** Clicks a button that asks first, and confirms. */
export async function confirm(button: Locator): Promise<void> {
  const label = await button.textContent()
  await button.click()
  await button.page().click(`dialog[open] .dialog-actions .btn:has-text(${JSON.stringify(label)})`)
}

/** What the API says at the start of a session, about one kind of state. */
export function stateOf(client: ParleyClient, kind: string, key?: string): Read {
  return async () => {
    const state = (await client.call('register', { event_types: [kind], fetch_event_types: [kind] })) as Values
    return (key ? state[key] : state) as Values
  }
}

/** The names of the values that differ. */
function changesBetween(before: Values, after: Values): string[] {
  const differs = (name: string) => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  const own = new Set(['queue_id', 'last_event_id', 'server_timestamp'])
  return Object.keys(after).filter((name) => !own.has(name) && differs(name))
}

/** Changes one control. The page and the API agree on what changed; Undo restores both. Returns the settings that changed. */
async function tryChange(page: Page, read: Read, control: Locator, work: () => Promise<unknown>): Promise<string[]> {
  const stateOfControl = () =>
    control.evaluate((one) => {
      const { type, checked, value } = one as HTMLInputElement
      return type === 'checkbox' ? String(checked) : value || one.getAttribute('aria-checked')
    })
  const [before, look] = [await read(), await stateOfControl()]
  await work()
  await toast(page, 'Saved')
  await until(async () => (await stateOfControl()) !== look)
  const after = await read()
  await undo(page)
  await until(async () => (await stateOfControl()) === look)
  assert.deepEqual(changesBetween(before, await read()), [], 'Undo restores everything')
  return changesBetween(before, after)
}

/** Changes every switch and every box of the page, one after another. Returns which settings each one changed. */
export async function trySwitches(page: Page, read: Read): Promise<Record<string, string[]>> {
  const changed: Record<string, string[]> = {}
  for (const one of await page.locator('main [role=switch]:enabled, main .check > input:enabled').all()) {
    const name = (await one.getAttribute('aria-label'))!
    if (name.startsWith('Notify me on this device')) continue // a setting of the browser
    changed[name] = await tryChange(page, read, one, async () => {
      await one.click()
      if (name === 'Channels can be open to everyone')
        await page.getByRole('dialog').getByRole('button', { name: 'Allow open channels' }).click()
    })
  }
  return changed
}

/** Chooses another option of every select of the page, one after another. Returns which settings each one changed. */
export async function trySelects(page: Page, read: Read): Promise<Record<string, string[]>> {
  const changed: Record<string, string[]> = {}
  for (const one of await page.locator('main select:enabled').all()) {
    const others = await one.evaluate((select) =>
      [...(select as HTMLSelectElement).options].filter(({ selected }) => !selected).map(({ value }) => value),
    )
    const name = (await one.getAttribute('aria-label'))!
    const confirms = name === 'Messages are kept'
    changed[name] = await tryChange(page, read, one, async () => {
      await one.selectOption(others.at(-1)!)
      if (confirms) await page.getByRole('dialog').getByRole('button', { name: 'Delete older messages' }).click()
    })
  }
  return changed
}

/** Adds the first holder that is offered to every permission of the page. Returns which settings each one changed. */
export async function tryPermissions(page: Page, read: Read): Promise<Record<string, string[]>> {
  const changed: Record<string, string[]> = {}
  for (const one of await page.locator('main .who-line:has(.picker)').all()) {
    const name = (await one.locator('b').first().textContent())!
    const count = one.locator('.chips')
    const [before, look] = [await read(), await count.textContent()]
    await one.locator('input').focus()
    await one.locator('[role=option]').first().click()
    await toast(page, 'Saved')
    await until(async () => (await count.textContent()) !== look)
    changed[name] = changesBetween(before, await read())
    await page.click('.toast button:has-text("Undo")')
    await until(async () => changesBetween(before, await read()).length === 0)
  }
  return changed
}
