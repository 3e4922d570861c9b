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
    await run(async (url, options) => {
      const context = await browser.newContext(options)
      t.after(() => context.close())
      context.setDefaultTimeout(15_000)
      await context.addInitScript(reportViolations)
      const page = await context.newPage()
      page.on('pageerror', ({ message }) => errors.push(message))
      page.on('console', (line) => {
        // An error page is an error to the console too.
        if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) errors.push(line.text())
      })
      await page.goto(url)
      return page
    })
    assert.deepEqual(errors, [])
  })
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
      await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
      const look = `${name}, ${size}, ${colorScheme}`
      assert.deepEqual(await violations(page), [], look)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.ok(Number(overflow) <= 0, `${look} is too wide`)
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}-${size}-${colorScheme}.png`, fullPage: true })
    }
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations: found } = (await page.evaluate('axe.run()')) as axe.AxeResults
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
