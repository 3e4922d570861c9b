import type { Page } from 'playwright-core'
import type { Scene, Step } from './state.ts'

/** Steps of states. Selectors may contain what `Scene.fill` replaces. */
export const click =
  (selector: string): Step =>
  ({ page, fill }) =>
    page.locator(fill(selector)).first().click()

export const rightClick =
  (selector: string): Step =>
  ({ page, fill }) =>
    page.locator(fill(selector)).first().click({ button: 'right' })

export const hover =
  (selector: string): Step =>
  ({ page, fill }) =>
    page.locator(fill(selector)).first().hover()

export const press =
  (key: string): Step =>
  ({ page }) =>
    page.keyboard.press(key)

export const type =
  (selector: string, text: string): Step =>
  ({ page, fill }) =>
    page.locator(fill(selector)).first().pressSequentially(text)

export const write =
  (selector: string, text: string): Step =>
  ({ page, fill }) =>
    page.locator(fill(selector)).first().fill(fill(text))

export const see =
  (selector: string): Step =>
  ({ page, fill }) =>
    page.locator(fill(selector)).first().waitFor()

export const wheel =
  (pixels: number): Step =>
  async ({ page }) => {
    await page.locator('.feed-list').hover()
    await page.mouse.wheel(0, pixels)
  }

/** A button or field with this text as its label, such as `message.more`. */
export const labelled = (id: string) => `[aria-label="{text ${id}}"]`
/** The entry of an open menu. */
export const entry = (id: string) => `[role=menuitem]:has-text("{text ${id}}")`
export const row = (text: string) => `article.msg:has-text("${text}")`

/** Opens the menu of a message, also where its button is not shown and a long press opens it. */
const openMenu =
  (text: string): Step =>
  async ({ page, fill }) => {
    const message = page.locator(row(text)).first()
    await message.waitFor()
    const button = message.locator(fill(labelled('message.more')))
    await message.hover()
    await button.waitFor({ state: 'attached' })
    await button.dispatchEvent('click')
  }

/** Opens an entry of the menu of a message, or that menu. */
export const fromMenu = (text: string, id?: string): Step[] => [
  openMenu(text),
  see('[role=menu]'),
  ...(id ? [click(entry(id))] : []),
]

/** Requests to these URLs are never answered. */
export const stall =
  (...urls: string[]): Step =>
  async ({ page }) => {
    for (const url of urls) await page.route(url, () => {})
  }

/** Requests to this URL fail as the server would make them fail. */
export const refuse =
  (url: string, status: number, msg: string): Step =>
  ({ page }) =>
    page.route(url, (route) => route.fulfill({ status, json: { result: 'error', code: 'BAD_REQUEST', msg } }))

export const goOffline: Step = async ({ page }) => {
  await page.route('**/api/v1/**', (route) => route.abort('internetdisconnected'))
  await page.context().setOffline(true)
}

/** Someone else does something while the page is open. */
export const asSomeoneElse =
  (person: string, path: string, params: Record<string, unknown>): Step =>
  async ({ stage, fill }) => {
    const api = await stage.as(person)
    await api.post(fill(path), JSON.parse(fill(JSON.stringify(params))))
  }

export const attach =
  (...files: { name: string; mimeType: string; buffer: Buffer }[]): Step =>
  ({ page }: Scene) =>
    page.locator('.compose input[type=file]').setInputFiles(files)

export const run =
  (work: (page: Page) => Promise<unknown>): Step =>
  ({ page }) =>
    work(page)
