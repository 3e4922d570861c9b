// Checks the documentation: files that it names exist, lines are short, every background job is described, and the newest
// version of the changelog is the one that the packages have.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const path = /`((?:[\w.*{},-]+\/)+[\w.*{},-]+\.(?:tsx?|cjs|js|sql|json|css|yml))`/g

/** The paths in a text, as `[line, path]`. */
export function pathsIn(text: string): [number, string][] {
  return text
    .split('\n')
    .flatMap((line, index) => [...line.matchAll(path)].map((found): [number, string] => [index + 1, found[1]!]))
}

/** Whether a file has this path, or ends with it; `*` and `{a,b}` stand for what they do in a shell. */
export function isKnown(named: string, files: readonly string[]): boolean {
  const pattern = named
    .replace(/[.]/g, '\\.')
    .replace(/\*+/g, '[^/]*')
    .replace(/\{([^}]*)\}/g, (_, options: string) => `(${options.replaceAll(',', '|')})`)
  const end = new RegExp(`(^|/)${pattern}$`)
  return files.some((file) => end.test(file))
}

const maxLine = 120
/** Pages that still have longer lines. This list only shrinks. */
const withLongLines = new Set(
  ['architecture', 'benchmarks', 'contributing', 'events', 'glossary', 'security', 'web'].map(
    (name) => `docs/${name}.md`,
  ),
)

/** The lines of a page that are too long. A table row or code block cannot be wrapped: shorten it, or write a list. */
export function longLines(text: string): number[] {
  let isCode = false
  return text.split('\n').flatMap((line, index) => {
    if (/^ *```/.test(line)) isCode = !isCode
    return !isCode && [...line].length > maxLine ? [index + 1] : []
  })
}

/** The names of all tasks in boot/background-jobs.ts: the keys of its two tables. */
export function tasksIn(source: string): string[] {
  return [...source.matchAll(/^const (?:work|periodicTasks): .* = \{\n((?: {2}.*\n)*)\}/gm)].flatMap(([, table]) =>
    [...table!.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name!),
  )
}

/** Tasks without a row in the table of docs/jobs.md, and rows of tasks that no longer exist. */
export function taskProblems(tasks: readonly string[], page: string): string[] {
  const described = [...page.matchAll(/^\| `(\w+)` /gm)]
    .map(([, name]) => name!)
    .filter((name) => !/^(parley_|[A-Z])/.test(name))
  return [
    ...tasks.filter((name) => !described.includes(name)).map((name) => `docs/jobs.md does not describe ${name}.`),
    ...described
      .filter((name) => !tasks.includes(name))
      .map((name) => `docs/jobs.md describes ${name}, which is no task.`),
  ]
}

function pathProblems(page: string, text: string, files: readonly string[]): string[] {
  const unknown = pathsIn(text).filter(([, named]) => !isKnown(named, files))
  return unknown.map(([line, named]) => `${page}:${line} names ${named}, which does not exist.`)
}

function lineProblems(page: string, text: string): string[] {
  const long = longLines(text)
  if (!withLongLines.has(page)) return long.map((line) => `${page}:${line} has more than ${maxLine} characters.`)
  return long.length > 0
    ? []
    : [`${page} has short lines now: remove it from the exempt pages in scripts/check-docs.ts.`]
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const places = '{.ci,bench,deploy,docs,packages,scripts,vendor}/**/*.*'
  const files = globSync(places, { cwd: root, exclude: ['**/node_modules', '**/dist'] })
  const pages = globSync(['docs/*.md', '*.md'], { cwd: root }).sort()
  const [newest] = read('CHANGELOG.md').match(/(?<=^## )\d\S*/m)!
  const { version } = JSON.parse(read('packages/server/package.json')) as { version: string }
  const problems = [
    ...pages.filter((page) => page !== 'CHANGELOG.md').flatMap((page) => pathProblems(page, read(page), files)),
    ...pages.flatMap((page) => lineProblems(page, read(page))),
    ...taskProblems(tasksIn(read('packages/server/src/boot/background-jobs.ts')), read('docs/jobs.md')),
    ...(newest === version ? [] : [`CHANGELOG.md ends with ${newest}, packages/server/package.json has ${version}.`]),
  ]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
