// Builds the web client and compares its compressed size with the budgets.
import { execFileSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const folder = execFileSync(process.execPath, [join(import.meta.dirname, '../packages/web/build.ts')], {
  encoding: 'utf8',
}).trim()

/** In kB, with gzip. */
function sizeOf(files: string[]): number {
  return files.reduce((sum, file) => sum + statSync(join(folder, `${file}.gz`)).size, 0) / 1000
}

/** A browser loads the texts of one language; the largest one counts. */
const locales = readdirSync(join(import.meta.dirname, '../packages/web/src/texts'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace('.json', ''))
const textsOf = (part: string) =>
  locales.flatMap((locale) => globSync(`assets/${locale}${part}-????????.js`, { cwd: folder }))
const languages = [...textsOf(''), ...textsOf('-more')]
const firstTexts = Math.max(...textsOf('').map((file) => sizeOf([file])))
const moreTexts = Math.max(...textsOf('-more').map((file) => sizeOf([file])))
const scripts = globSync('assets/*.js', { cwd: folder }).filter((file) => !languages.includes(file))

/** The page loads these before it can show a message. */
const first = [...readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/"\/app\/(assets\/[^"]+\.js)"/g)]
/** KaTeX's own sheet is loaded with the first formula. */
const styles = globSync('assets/*.css', { cwd: folder }).filter((file) => !file.includes('/formula-styles-'))
const budgets: [what: string, size: number, most: number][] = [
  ['scripts before the first message', sizeOf(first.map(([, file]) => file!)) + firstTexts, 150],
  ['all scripts', sizeOf(scripts) + firstTexts + moreTexts, 280],
  ['all style sheets', sizeOf(styles), 20],
]
for (const [what, size, most] of budgets) {
  console.log(`${what}: ${size.toFixed(1)} kB of ${most} kB`)
  if (size > most) process.exitCode = 1
}
