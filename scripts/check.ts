// Runs every check:* of package.json, as many at a time as there are cores, and prints what the failed ones said.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** The longest first, so that no core is idle at the end. */
const longest = [
  'check:code-rules',
  'check:types',
  'check:promises',
  'check:arrows',
  'check:expressions',
  'check:format',
]

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const others = Object.keys(scripts).filter((name) => name.startsWith('check:') && !longest.includes(name))
const waiting = [...longest, ...others]

/** Runs one check, and says how it ended and how long it took. */
async function run(name: string): Promise<void> {
  const start = performance.now()
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.on('close', resolve))
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  console.log(`${code === 0 ? '✔' : '✖'} ${name} (${seconds} s)`)
  if (code === 0) return
  process.exitCode = 1
  console.log(output)
}

async function work(): Promise<void> {
  for (let name = waiting.shift(); name; name = waiting.shift()) await run(name)
}

await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work))
