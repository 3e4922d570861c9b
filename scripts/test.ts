// Runs all tests, or the given files, checks the row types of their statements, and lists the slowest files.
import { once } from 'node:events'
import { appendFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { databaseUrl, globalSetup, globalTeardown } from '../packages/server/src/testing/global-setup.ts'
import { checkRowTypes } from '../packages/server/src/testing/row-types/check.ts'
import { reaches } from './test-file.ts'

/** Loading and warming up the server takes longer than most test files, so many files share a process. */
const filesPerProcess = 10

/** Tests of what a process has only once: hooks of its root, its mocks, CPU time and memory. Or tests of whole processes. */
const needsOwnProcess =
  /^(before|after|mock)|cpuUsage|memoryUsage|from '(\S*\/(program|browser|journey|cpu-time)|node:child_process)/m

/** Tests that compare times: other tests beside them would spoil the comparison, so they run last, one at a time. */
const needsQuiet = /from '\S*\/flood\.ts'/m

/** In milliseconds; a test that hangs fails instead of hanging the run. */
const longestTest = 15 * 60_000

/** All but those in folders named `thorough`, which CI runs in a step of their own. */
const all = globSync(
  ['packages/*/src/**/*.test.ts', 'packages/web/{gallery,journeys}/*.test.ts', 'scripts/**/*.test.ts'],
  {
    exclude: ['**/thorough'],
  },
)
const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'))
const statements = join(folder, 'statements')
mkdirSync(statements)
if (!process.env.PARLEY_DIST) process.env.PARLEY_TEST_STATEMENTS = statements
// The program uses the same one (cli/main.ts).
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/parley')

/** These replace, count or start parts of the sources while they run: a bundle has its own parts. */
const changesSources = /queues\/faults|visibility\/hidden-names|realms\/initial-state|db\/read-in-turns/

/** With PARLEY_DIST, the folder of a bundle, only the tests that start its code: the others would test the sources again. */
function ofBundle(files: string[]): string[] {
  if (!process.env.PARLEY_DIST) return files
  const meeting = files.filter((file) => reaches('PARLEY_DIST', resolve(file)) && !changesSources.test(file))
  console.log(
    `${meeting.length} files test the bundle in ${process.env.PARLEY_DIST}; ${files.length - meeting.length} do not.`,
  )
  return meeting
}

/** The longest files and the batches first, so that no core is idle at the end. */
function findBatches(patterns: string[]): string[][] {
  const isAlone = (file: string) => file.includes('src/testing/') || needsOwnProcess.test(readFileSync(file, 'utf8'))
  const files = ofBundle(globSync(patterns).sort())
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

/** What passed only when it was run once more: .ci/run ends with this list, and docs/contributing.md says what to do. */
function noteFlaky(names: string, error: string): void {
  const text = `${names}\n    ${error.replaceAll('\n', '\n    ')}\n`
  console.log(`PASSED ONLY WHEN RUN ONCE MORE:\n  ${text}`)
  if (process.env.FLAKY_FILE) appendFileSync(process.env.FLAKY_FILE, text)
}

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

/** With TEST_MINUTES, the run ends after that time; files that did not finish by then are listed and fail it. */
let isTimeUp = false
const unfinished = new Set<string>()
const minutes = Number(process.env.TEST_MINUTES ?? 0)
if (minutes > 0)
  setTimeout(() => {
    isTimeUp = true
    interrupt.abort()
  }, minutes * 60_000).unref()

/** Returns the files that failed, each with its first error. */
async function runFiles(files: string[], concurrency: number): Promise<Map<string, string>> {
  const failed = new Map<string, string>()
  if (files.length === 0) return failed
  // A timer or a connection that a failed test leaves behind must not keep its process.
  const { signal } = interrupt
  const execArgv = ['--import', pathToFileURL(blocking).href]
  const tests = run({ files, concurrency, timeout: longestTest, forceExit: true, execArgv, signal })
  tests.on('test:complete', ({ file = '', name, nesting, details: { passed, duration_ms, error }, ...rest }) => {
    if (nesting === 0) seconds.set(file, (seconds.get(file) ?? 0) + duration_ms / 1000)
    if (passed) return
    if (isTimeUp) return void unfinished.add(file)
    const failure = `${name} failed: ${inspect(error?.cause ?? error).slice(0, 2000)}`
    const entry = (rest as { entryFile?: string }).entryFile ?? file
    if (!failed.has(entry)) failed.set(entry, failure)
    // The reporter explains failures at the end, which a run that is cut off never reaches.
    console.log(failure)
  })
  tests.compose(spec).pipe(process.stdout, { end: false })
  await once(tests, 'end')
  return failed
}

await globalSetup()
const files = batches.map(writeBatch)
const namesOf = (some: string[]) => some.flatMap((file) => batches[files.indexOf(file)] ?? []).join('\n  ')
const isQuiet = (file: string) =>
  batches[files.indexOf(file)]!.some((one) => needsQuiet.test(readFileSync(one, 'utf8')))
const beside = files.filter((file) => !isQuiet(file))
let failed = [...(await runFiles(beside, Number(process.env.TEST_PROCESSES ?? 3)))]
failed.push(...(await runFiles(files.filter(isQuiet), 1)))
if (failed.length > 0 && process.env.RETRY_FAILED && !interrupt.signal.aborted) {
  const first = failed.map(([file]) => file)
  console.log(`FAILED, RUN ONCE MORE:\n  ${namesOf(first)}`)
  const again = await runFiles(first, 1)
  const passed = failed.filter(([file]) => !again.has(file) && !unfinished.has(file))
  for (const [file, error] of passed) noteFlaky(namesOf([file]), error)
  failed = failed.filter((one) => !passed.includes(one))
}
const shared = interrupt.signal.aborted ? [] : batches.filter((batch) => batch.length > 1).flat()
const silent = shared.filter((file) => !seconds.has(resolve(file)))
if (silent.length > 0) console.log(`NO TEST WAS RUN:\n  ${silent.join('\n  ')}`)
if (failed.length + silent.length + unfinished.size > 0) process.exitCode = 1
if (isTimeUp) console.log(`NOT FINISHED WITHIN ${minutes} MIN:\n  ${namesOf([...unfinished])}`)
if (!interrupt.signal.aborted && process.env.PARLEY_TEST_STATEMENTS) await checkRows()
await globalTeardown()
rmSync(folder, { recursive: true })

const slowest = [...seconds].filter(([file]) => !file.startsWith(folder)).sort(([, a], [, b]) => b - a)
console.log('Slowest files, in seconds:')
for (const [file, time] of slowest.slice(0, 20)) console.log(`${time.toFixed(1).padStart(7)}  ${relative('.', file)}`)
// What an interrupted file started may still have our pipes.
process.exit()
