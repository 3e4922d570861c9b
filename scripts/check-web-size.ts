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
const languages = readdirSync(join(import.meta.dirname, '../packages/web/src/texts'))
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => globSync(`assets/${name.replace('.json', '')}-????????.js`, { cwd: folder }))
const texts = Math.max(...languages.map((file) => sizeOf([file])))
const scripts = globSync('assets/*.js', { cwd: folder }).filter((file) => !languages.includes(file))

/** The page loads these before it can show a message. */
const first = [...readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/"\/app\/(assets\/[^"]+\.js)"/g)]
const budgets: [what: string, size: number, most: number][] = [
  ['scripts before the first message', sizeOf(first.map(([, file]) => file!)) + texts, 150],
  ['all scripts', sizeOf(scripts) + texts, 260],
  ['all style sheets', sizeOf(globSync('assets/*.css', { cwd: folder })), 20],
]
for (const [what, size, most] of budgets) {
  console.log(`${what}: ${size.toFixed(1)} kB of ${most} kB`)
  if (size > most) process.exitCode = 1
}
