// The rules of this project that no linter has: they need types, or know our helpers. See docs/contributing.md.
import { join, relative } from 'node:path'
import ts from 'typescript'
import { noLookupByString } from './code-rules/no-lookup-by-string.ts'
import { noSqlInRoutes } from './code-rules/no-sql-in-routes.ts'
import { noUncheckedRows } from './code-rules/no-unchecked-rows.ts'
import { noWriteThroughDb } from './code-rules/no-write-through-db.ts'
import type { Rule } from './code-rules/rule.ts'

const top = join(import.meta.dirname, '..')
const generated = /\.generated\.ts$/
const test = /\.test\.ts$|\/testing\/|\/testing\.ts$|\/html-checker\.ts$/

/** Tests look up names that they chose themselves, and write as they like. */
export function rulesFor(path: string): Rule[] {
  if (generated.test(path)) return []
  const rules = /(^|[/-])routes\.ts$/.test(path) ? [noSqlInRoutes] : [noUncheckedRows]
  return test.test(path) || !/^packages\/[^/]+\/src\//.test(path)
    ? rules
    : [...rules, noLookupByString, noWriteThroughDb]
}

/** A finding is accepted where the line before it says `// allowed: REASON`. */
export function findViolations(file: ts.SourceFile, rules: Rule[], checker: ts.TypeChecker): string[] {
  const lines = file.text.split('\n')
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    for (const rule of rules) {
      const problem = rule(node, checker)
      const line = problem === undefined ? 0 : file.getLineAndCharacterOfPosition(node.getStart(file)).line
      if (problem !== undefined && !/^\s*\/\/ allowed: \S/.test(lines[line - 1] ?? ''))
        found.push(`${line + 1}: ${problem}`)
    }
    ts.forEachChild(node, visit)
  }
  if (rules.length > 0) visit(file)
  return found
}

function programOf(config: string, isWanted: (path: string) => boolean): ts.Program {
  const path = join(top, config)
  const parsed = ts.getParsedCommandLineOfConfigFile(
    path,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  )!
  return ts.createProgram(
    parsed.fileNames.filter((file) => isWanted(relative(top, file))),
    parsed.options,
  )
}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'))
}

function violationsOf(program: ts.Program): string[] {
  const checker = program.getTypeChecker()
  const roots = new Set(program.getRootFileNames())
  const files = program.getSourceFiles().filter(({ fileName }) => roots.has(fileName))
  return files.flatMap((file) => {
    const path = relative(top, file.fileName)
    return findViolations(file, rulesFor(path), checker).map((problem) => `${path}:${problem}`)
  })
}

function main(): void {
  const isCode = (path: string) => /^(packages|bench)\//.test(path) && rulesFor(path).length > 0
  const problems = ['tsconfig.json', 'packages/web/tsconfig.json', 'packages/web/sw/tsconfig.json'].flatMap((config) =>
    violationsOf(programOf(config, isCode)),
  )
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

if (import.meta.main) main()
