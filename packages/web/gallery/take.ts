import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page, Route } from 'playwright-core'
import { freezeScript, frozen, timeZone } from './calendar.ts'
import { fillIds } from './fill-ids.ts'
import { lookOptions } from './looks.ts'
import { pathOf, type Shot } from './shots.ts'
import type { Stage } from './stage.ts'
import type { Scene, State } from './state.ts'

/** Milliseconds until something that a state waits for counts as unreachable. */
const patience = 15_000

type Cookies = BrowserContextOptions['storageState']
type Viewer = Exclude<NonNullable<State['as']>, 'nobody'>

/** Takes pictures: each in a profile of its own, so that no state sees what another one left behind. */
export class Photographer {
  readonly #browser: Browser
  readonly #stage: Stage
  readonly #folder: string
  readonly #signedIn = new Map<Viewer, Promise<Cookies>>()

  constructor(browser: Browser, stage: Stage, folder: string) {
    this.#browser = browser
    this.#stage = stage
    this.#folder = folder
  }

  /** Takes pictures of one state that differ only in colours. */
  async take([first, ...others]: Shot[]): Promise<void> {
    const { state, look } = first!
    const context = await this.#newContext(lookOptions[look], state.as ?? 'member')
    try {
      const page = await context.newPage()
      const scene = this.#scene(page, look === 'german' ? 'de' : 'en')
      await bringOnScreen(scene, state)
      await this.#write(page, first!)
      for (const shot of others) {
        const { colorScheme, contrast = null } = lookOptions[shot.look]
        await page.emulateMedia({ colorScheme, contrast })
        await settle(page)
        await this.#write(page, shot)
      }
    } finally {
      await context.close()
    }
  }

  async #write(page: Page, shot: Shot): Promise<void> {
    const path = join(this.#folder, pathOf(shot))
    await mkdir(dirname(path), { recursive: true })
    await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
  }

  async #newContext(options: BrowserContextOptions, viewer: NonNullable<State['as']>): Promise<BrowserContext> {
    const storageState = viewer === 'nobody' ? undefined : await this.#signIn(viewer)
    const context = await this.#browser.newContext({
      timezoneId: timeZone,
      locale: 'en-GB',
      permissions: ['notifications'],
      reducedMotion: 'reduce',
      serviceWorkers: 'block',
      ...options,
      ...(storageState && { storageState }),
    })
    context.setDefaultTimeout(patience)
    await context.clock.setFixedTime(frozen * 1000)
    await context.addInitScript(freezeScript(this.#stage.start))
    await context.route(/\/api\/v1\/drafts/, keepDraftsHere)
    return context
  }

  #signIn(viewer: Viewer): Promise<Cookies> {
    const known = this.#signedIn.get(viewer) ?? this.#cookiesOf(`${viewer}@example.com`)
    this.#signedIn.set(viewer, known)
    return known
  }

  async #cookiesOf(email: string): Promise<Cookies> {
    const context = await this.#browser.newContext()
    const page = await context.newPage()
    await page.goto(`${this.#stage.url}/login`)
    await page.click(`form:has([name=pick][value="${email}"]) button`)
    await page.waitForURL((url) => url.pathname === '/')
    const cookies = await context.storageState()
    await context.close()
    return cookies
  }

  #scene(page: Page, language: string): Scene {
    const ids = new Map(this.#stage.ids)
    for (const [id, text] of Object.entries(textsOf(language))) ids.set(`text ${id}`, text)
    return { page, stage: this.#stage, fill: (text) => fillIds(text, ids) }
  }
}

/** What is typed for one picture must not appear on another one. */
function keepDraftsHere(route: Route): Promise<void> {
  if (route.request().method() === 'GET') return route.continue()
  return route.fulfill({ json: { result: 'success', msg: '', ids: [1_000_000] } })
}

const texts = new Map<string, Record<string, string>>()

function textsOf(language: string): Record<string, string> {
  const file = join(import.meta.dirname, `../src/texts/${language}.json`)
  const known = texts.get(language) ?? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)
  texts.set(language, known)
  return known
}

async function bringOnScreen(scene: Scene, { at, before = [], steps = [], shows }: State): Promise<void> {
  const { page, stage, fill } = scene
  for (const step of before) await step(scene)
  await page.goto(`${stage.url}${at.startsWith('#') ? '/' : ''}${fill(at)}`)
  for (const step of steps) await step(scene)
  await page.locator(fill(shows)).first().waitFor()
  await settle(page)
}

/** Fonts, images and the next frames have arrived, and what was asked for is no longer on its way. */
async function settle(page: Page): Promise<void> {
  const isStill = `(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))
    for (let still = 0, last = ''; still < 4; ) {
      await frame()
      const isLoading = [...document.images].some((image) => image.loading !== 'lazy' && !image.complete)
      const now = isLoading ? '' : document.body.innerHTML.length + ' ' + (document.querySelector('.feed-list')?.scrollTop ?? '')
      still = now !== '' && now === last ? still + 1 : 0
      last = now
    }
    await document.fonts.ready
  })()`
  await Promise.race([page.evaluate(isStill), page.waitForTimeout(5000)])
}
