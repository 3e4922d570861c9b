// Builds the web client and compares its compressed size with the budgets.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const folder = execFileSync(process.execPath, [join(import.meta.dirname, '../packages/web/build.ts')], {
  encoding: 'utf8',
}).trim()

/** In kB, with gzip. */
function sizeOf(files: string[]): number {
  return files.reduce((sum, file) => sum + statSync(join(folder, `${file}.gz`)).size, 0) / 1000
}

/** The page loads these before it can show a message. */
const first = [...readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/"\/app\/(assets\/[^"]+\.js)"/g)]
const budgets: [what: string, size: number, most: number][] = [
  ['scripts before the first message', sizeOf(first.map(([, file]) => file!)), 150],
  ['all scripts', sizeOf(globSync('assets/*.js', { cwd: folder })), 260],
  ['all style sheets', sizeOf(globSync('assets/*.css', { cwd: folder })), 20],
]
for (const [what, size, most] of budgets) {
  console.log(`${what}: ${size.toFixed(1)} kB of ${most} kB`)
  if (size > most) process.exitCode = 1
}
