import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
)

if (!executablePath) {
  const complaint = 'CHROMIUM NOT FOUND: the tests of pages in a browser are skipped. Install it, or set CHROMIUM.'
  if (process.env.REQUIRE_CHROMIUM) throw new Error(complaint)
  console.error(complaint)
}

let launched: Promise<Browser> | undefined

/** One browser per test file. */
function openBrowser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: executablePath!,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
  return launched
}

after(async () => (await launched)?.close())

/** Also policies that only report end up on the console, and so fail the test. */
const reportViolations = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('CSP', violatedDirective, blockedURI))`

/** Opens a page in a browser profile of its own. */
export type OpenPage = (url: string, options?: BrowserContextOptions) => Promise<Page>

/** A test in real Chromium. It fails if a page reports an error, such as a violation of its content security policy. */
export function browserTest(name: string, run: (open: OpenPage) => Promise<void>): void {
  test(name, { skip: !executablePath && 'Chromium was not found' }, async (t) => {
    const browser = await openBrowser()
    const errors: string[] = []
    const pages: Page[] = []
    const running = run(async (url, options) => {
      // A service worker per test would cost more than most tests.
      const context = await browser.newContext({ serviceWorkers: 'block', ...options })
      t.after(() => context.close())
      context.setDefaultTimeout(40_000)
      await context.addInitScript(reportViolations)
      const page = await context.newPage()
      pages.push(page)
      page.on('pageerror', ({ message }) => errors.push(message))
      page.on('console', (line) => {
        // An error page is an error to the console too.
        if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) errors.push(line.text())
      })
      await page.goto(url)
      return page
    })
    await running.catch(async (error: Error) => {
      error.message += `\nErrors of pages: ${errors.join('; ') || 'none'}\n${(await Promise.all(pages.map(describe))).join('\n')}`
      throw error
    })
    assert.deepEqual(errors, [])
  })
}

/** What a page shows when a test fails: its URL, what has the focus, and what is open. */
async function describe(page: Page): Promise<string> {
  const look = `location.href + ', focus: ' + document.activeElement?.outerHTML.slice(0, 200) +
    ', open: ' + [...document.querySelectorAll('dialog[open], [role=menu], .toast')].map((one) => one.textContent.slice(0, 100)).join(' | ')`
  return page.isClosed() ? 'closed' : String(await page.evaluate(look).catch(String))
}

const phone = { width: 360, height: 740 }
const desktop = { width: 1280, height: 860 }

/**
 * Checks the accessibility of what a page shows now, on a phone and on a desktop, light and dark, and that nothing
 * needs to be scrolled sideways. With SCREENSHOTS set, writes pictures into that folder.
 */
export async function checkLook(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries({ phone, desktop }))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(finishAnimations)
      const look = `${name}, ${size}, ${colorScheme}`
      assert.deepEqual(await violations(page), [], look)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.ok(Number(overflow) <= 0, `${look} is too wide`)
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}-${size}-${colorScheme}.png`, fullPage: true })
    }
}

type Part = { include: string[] } | { exclude: string[] }

/** What axe finds wrong, in the whole page unless a part of it is named. */
async function violations(page: Page, options: axe.RunOptions = {}, part?: Part): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source)
  const run = `axe.run(${part ? JSON.stringify(part) : 'document'}, ${JSON.stringify(options)})`
  const { violations: found } = (await page.evaluate(run)) as axe.AxeResults
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Colours change gradually, from the frame after the theme has changed. */
const finishAnimations =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))).then(() => {})'

export const allThemes = ['light', 'dark'].flatMap((theme) =>
  ['normal', 'more'].map((contrast) => ({ theme, contrast })),
)

/**
 * What is not accessible about a screen of the web client, or has to be scrolled sideways. Themes differ only in colours,
 * so the other rules run once. The colours are checked in one part of the screen, as the rest was seen before.
 */
export async function findProblems(
  page: Page,
  { name, part, themes }: { name: string; part: Part; themes: typeof allThemes },
): Promise<string[]> {
  const found = await violations(page, { rules: { 'color-contrast': { enabled: false } } })
  for (const theme of themes) {
    await page.evaluate(`Object.assign(document.documentElement.dataset, ${JSON.stringify(theme)})`)
    await page.evaluate(finishAnimations)
    found.push(...(await violations(page, { runOnly: ['color-contrast'] }, part)))
    const look = `${name}-${theme.theme}-${theme.contrast}`
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${look}.png` })
  }
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  if (Number(overflow) > 0) found.push(`${overflow} px too wide`)
  return found.map((one) => `${name}: ${one}`)
}
