// Runs all tests, or the given files, checks the row types of their statements, and lists the slowest files.
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { databaseUrl, globalSetup, globalTeardown } from '../packages/server/src/testing/global-setup.ts'
import { checkRowTypes } from '../packages/server/src/testing/row-types/check.ts'

/** Loading and warming up the server takes longer than most test files, so many files share a process. */
const filesPerProcess = 10

/** Tests of what a process has only once: hooks of its root, its mocks, CPU time and memory. Or tests of whole processes. */
const needsOwnProcess =
  /^(before|after|mock)|cpuUsage|memoryUsage|from '(\S*\/(program|browser|journey)|node:child_process)/m

/** In milliseconds; a test that hangs fails instead of hanging the run. */
const longestTest = 15 * 60_000

/** All but those in folders named `thorough`, which CI runs in a step of their own. */
const all = globSync(['packages/*/src/**/*.test.ts', 'packages/web/journeys/*.test.ts', 'scripts/*.test.ts'], {
  exclude: ['**/thorough'],
})
const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'))
const statements = join(folder, 'statements')
mkdirSync(statements)
process.env.PARLEY_TEST_STATEMENTS = statements
// The program uses the same one (cli/main.ts).
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/parley')

/** The longest files and the batches first, so that no core is idle at the end. */
function findBatches(patterns: string[]): string[][] {
  const isAlone = (file: string) => file.includes('src/testing/') || needsOwnProcess.test(readFileSync(file, 'utf8'))
  const files = globSync(patterns).sort()
  const shared = files.filter((file) => !isAlone(file))
  const batches: string[][] = []
  while (shared.length > 0) batches.push(shared.splice(0, filesPerProcess))
  const alone = files.filter(isAlone).map((file) => [file])
  const isLong = ([file]: string[]) => /journeys|crash|hostile|access-|fairness/.test(file!)
  return [...alone.filter(isLong), ...batches, ...alone.filter((file) => !isLong(file))]
}

/** Writes a module that imports the test files. */
function writeBatch(files: string[], index: number): string {
  const path = join(folder, `${index}.mjs`)
  writeFileSync(path, files.map((file) => `import '${pathToFileURL(file)}'\n`).join(''))
  return files.length === 1 ? path : untilLoaded(path)
}

/** Writes a module with a test that ends when all files are loaded: its process ends when all tests it knows have ended. */
function untilLoaded(batch: string): string {
  const path = batch.replace('.mjs', '-loaded.mjs')
  const lines = [
    `import { test } from 'node:test'`,
    'const loaded = Promise.withResolvers()',
    `test('all files of a batch are loaded', () => loaded.promise)`,
    `await import('${pathToFileURL(batch)}')`,
    'loaded.resolve()',
  ]
  writeFileSync(path, lines.join('\n'))
  return path
}

/** Loaded first by each process: what it has reported, but not yet written, is lost when it exits. Threads have no pipe. */
const blocking = join(folder, 'blocking.mjs')
writeFileSync(blocking, 'process.stdout._handle?.setBlocking(true)\n')

async function checkRows(): Promise<void> {
  const template = databaseUrl(process.env.PARLEY_TEST_DATABASE!, 'parley_template')
  const { problems, summary } = await checkRowTypes(template, statements)
  console.log([...problems, summary].join('\n'))
  if (problems.length > 0) process.exitCode = 1
}

const seconds = new Map<string, number>()
const batches = findBatches(process.argv.length > 2 ? process.argv.slice(2) : all)
const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupt.abort())

/** With TEST_MINUTES, files that did not finish in that time are listed instead of failing the run. */
let isTimeUp = false
const unfinished = new Set<string>()
const minutes = Number(process.env.TEST_MINUTES ?? 0)
if (minutes > 0)
  setTimeout(() => {
    isTimeUp = true
    interrupt.abort()
  }, minutes * 60_000).unref()

/** Returns the files that failed. */
async function runFiles(files: string[], concurrency: number): Promise<string[]> {
  const failed = new Set<string>()
  // A timer or a connection that a failed test leaves behind must not keep its process.
  const { signal } = interrupt
  const execArgv = ['--import', pathToFileURL(blocking).href]
  const tests = run({ files, concurrency, timeout: longestTest, forceExit: true, execArgv, signal })
  tests.on('test:complete', ({ file = '', name, nesting, details: { passed, duration_ms, error }, ...rest }) => {
    if (nesting === 0) seconds.set(file, (seconds.get(file) ?? 0) + duration_ms / 1000)
    if (passed) return
    if (isTimeUp) return void unfinished.add(file)
    failed.add((rest as { entryFile?: string }).entryFile ?? file)
    // The reporter explains failures at the end, which a run that is cut off never reaches.
    console.log(`${name} failed: ${inspect(error?.cause ?? error).slice(0, 2000)}`)
  })
  tests.compose(spec).pipe(process.stdout, { end: false })
  await once(tests, 'end')
  return [...failed]
}

await globalSetup()
const files = batches.map(writeBatch)
const namesOf = (some: string[]) => some.flatMap((file) => batches[files.indexOf(file)] ?? []).join('\n  ')
let failed = await runFiles(files, Number(process.env.TEST_PROCESSES ?? 3))
if (failed.length > 0 && process.env.RETRY_FAILED && !interrupt.signal.aborted) {
  console.log(`FAILED, RUN ONCE MORE:\n  ${namesOf(failed)}`)
  const again = await runFiles(failed, 1)
  failed = failed.filter((file) => again.includes(file) || unfinished.has(file))
}
const shared = interrupt.signal.aborted ? [] : batches.filter((batch) => batch.length > 1).flat()
const silent = shared.filter((file) => !seconds.has(resolve(file)))
if (silent.length > 0) console.log(`NO TEST WAS RUN:\n  ${silent.join('\n  ')}`)
if (failed.length + silent.length > 0) process.exitCode = 1
if (isTimeUp) console.log(`NOT FINISHED WITHIN ${minutes} MIN:\n  ${namesOf([...unfinished])}`)
if (!interrupt.signal.aborted) await checkRows()
await globalTeardown()
rmSync(folder, { recursive: true })

const slowest = [...seconds].filter(([file]) => !file.startsWith(folder)).sort(([, a], [, b]) => b - a)
console.log('Slowest files, in seconds:')
for (const [file, time] of slowest.slice(0, 20)) console.log(`${time.toFixed(1).padStart(7)}  ${relative('.', file)}`)
// What an interrupted file started may still have our pipes.
process.exit()
