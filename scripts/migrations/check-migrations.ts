// Refuses migrations that would stop a running chat, or break servers of the previous release that run beside them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Those up to here were written before these rules. Applied files never change. */
const lastWithoutRules = '0630'

/** Nothing of this concerns a table that the same file creates. */
interface Rule {
  pattern: RegExp
  problem: string
}

const name = String.raw`"?(?:public\.)?(?<table>\w+)"?`
const rules: Rule[] = [
  {
    pattern: new RegExp(
      String.raw`^create (?:unique )?index (?!concurrently)(?:if not exists )?\w+ on (?:only )?${name}`,
    ),
    problem:
      'creating an index blocks writes until it is complete: use "create index concurrently" in a file *.concurrent.sql',
  },
  {
    pattern: new RegExp(
      String.raw`^alter table ${name} .*\badd (?:constraint \w+ )?(?:check|foreign key)\b(?!.*\bnot valid\b)`,
    ),
    problem: 'checking all rows blocks writes: add the constraint "not valid", and validate it in a later file',
  },
  {
    pattern: new RegExp(
      String.raw`^alter table ${name} .*\badd (?:constraint \w+ )?(?:unique|primary key)\b(?!.*\busing index\b)`,
    ),
    problem:
      'its index blocks writes until it is complete: create the index concurrently, then add the constraint "using index"',
  },
  {
    pattern: new RegExp(String.raw`^alter table ${name} .*\balter (?:column )?\w+ (?:set data )?type\b`),
    problem:
      'changing a type rewrites the table: add a column, fill it with a job, and drop the old one in a later release',
  },
  {
    pattern: new RegExp(
      String.raw`^alter table ${name} .*\badd column (?:if not exists )?\w+ (?!.*\bdefault\b)[^,]*\bnot null\b`,
    ),
    problem: 'servers of the previous release do not fill the column: give it a default',
  },
  {
    pattern: new RegExp(String.raw`^alter table ${name} .*\b(?:rename|drop column)\b`),
    problem:
      'servers of the previous release use the old name: drop it in the release after the last that reads it, and say so: -- contract: RELEASE',
  },
  {
    pattern: new RegExp(`^drop table (?:if exists )?${name}`),
    problem:
      'servers of the previous release use the table: drop it in the release after the last that reads it, and say so: -- contract: RELEASE',
  },
  {
    pattern: new RegExp(`^(?:update|delete from) ${name}`),
    problem: 'changing all rows takes as long as the table is large: let a job do it in parts',
  },
]

const concurrent = /^(?:drop index concurrently if exists|create (?:unique )?index concurrently) (?<index>\w+)/

/** What is wrong with a migration, one sentence each. */
export function migrationProblems(file: string, sql: string): string[] {
  const statements = statementsOf(sql)
  const found = file.endsWith('.concurrent.sql') ? concurrentProblems(statements) : ruleProblems(statements, sql)
  return found.map((problem) => `${file}: ${problem}.`)
}

function statementsOf(sql: string): string[] {
  const lines = sql.split('\n').filter((line) => !line.trimStart().startsWith('--'))
  const statements = lines.join(' ').toLowerCase().split(';')
  return statements.map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '')
}

function ruleProblems(statements: string[], sql: string): string[] {
  const created = new Set(
    statements.map((text) => /^create table (?:if not exists )?"?(?:public\.)?(\w+)/.exec(text)?.[1]),
  )
  const isContract = /^-- contract: \S/m.test(sql)
  return statements.flatMap((text) =>
    rules.flatMap(({ pattern, problem }) => {
      const table = pattern.exec(text)?.groups?.table
      const isAllowed = table === undefined || created.has(table) || (isContract && problem.includes('contract'))
      return isAllowed ? [] : [problem]
    }),
  )
}

/** After an interruption they run again, so that each index is dropped before it is created. */
function concurrentProblems(statements: string[]): string[] {
  const dropped = new Set<string>()
  return statements.flatMap((text) => {
    const index = concurrent.exec(text)?.groups?.index
    if (index === undefined) return ['only indexes may be created and dropped concurrently in such a file']
    if (text.startsWith('drop')) dropped.add(index)
    return dropped.has(index)
      ? []
      : [`drop index concurrently if exists ${index} first, which an interrupted attempt leaves`]
  })
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../../packages/server/migrations')
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql') && file.slice(0, 4) > lastWithoutRules)
  for (const problem of files.flatMap((file) => migrationProblems(file, readFileSync(join(folder, file), 'utf8')))) {
    console.error(problem)
    process.exitCode = 1
  }
}
