import assert from 'node:assert/strict'
import { test } from 'node:test'
import ts from 'typescript'
import { findViolations, rulesFor } from './check-code-rules.ts'

/** Enough of the language and of Kysely for the rules; the real libraries would take seconds to load. */
const prelude = `
interface Array<T> { [n: number]: T; length: number } interface String { length: number } interface Object {}
interface Boolean {} interface Number {} interface Function {} interface CallableFunction {} interface NewableFunction {}
interface IArguments {} interface RegExp {} interface TemplateStringsArray {}
interface Query { forUpdate(): Query; where(): Query; execute(): any }
interface Db { selectFrom(table: string): Query } interface Database extends Db { insertInto(table: string): Query }
declare function one<T>(db: Db): (text: TemplateStringsArray, ...values: any[]) => T
declare function sql<T>(text: TemplateStringsArray, ...values: any[]): Query
declare function html(text: TemplateStringsArray, ...values: any[]): string
declare const db: Db, database: Database, name: string, table: { a: number; b: number }, list: number[], key: 'a' | 'b'
`

/** The lines of `code` that are refused when it stands in the file `path`. */
function refusedLines(code: string, path = 'packages/server/src/any/actions.ts'): number[] {
  const texts = new Map([
    [path, `${code}\nexport {}`],
    ['prelude.d.ts', prelude],
  ])
  const files = new Map(
    [...texts].map(([name, text]) => [name, ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true)]),
  )
  const host: ts.CompilerHost = { ...ts.createCompilerHost({}), getSourceFile: (name) => files.get(name) }
  const options = { noLib: true, strict: true, target: ts.ScriptTarget.ESNext }
  const checker = ts.createProgram([...files.keys()], options, host).getTypeChecker()
  return findViolations(files.get(path)!, rulesFor(path), checker).map((problem) => Number.parseInt(problem, 10))
}

test('an object is not looked up by a name that can be any string', () => {
  assert.deepEqual(
    refusedLines('table[name as keyof typeof table]\nname in table\nlist[0]\ntable[key]\nlist[name as any]'),
    [1, 2],
  )
})

test('an accepted lookup says why', () => {
  assert.deepEqual(refusedLines('// allowed: has no prototype\nname in table\n// allowed:\nname in table'), [4])
})

test('a function that only reads neither writes nor locks', () => {
  const code = [
    'one<{}>(db)`delete from users`',
    'one<{}>(database)`delete from users`',
    'one<{}>(db)`select 1\n for\n no key update`',
    'one<{}>(db)`select 1`',
  ]
  assert.deepEqual(refusedLines(code.join('\n')), [1, 3])
})

test('a lock of the query builder needs more than Db, also through a variable', () => {
  const code = ["const q = db.selectFrom('users').where()", 'q.forUpdate()', "database.selectFrom('users').forUpdate()"]
  assert.deepEqual(refusedLines(code.join('\n')), [2])
})

test('rows come only from the helpers whose types are checked', () => {
  const code = [
    'sql<{}>`select 1`.execute()',
    'const { rows } = await db.selectFrom("a").execute()',
    'sql`vacuum`.execute()',
  ]
  assert.deepEqual(refusedLines(code.join('\n'), 'packages/server/src/any/any.test.ts'), [1, 2])
})

test('route files contain no SQL', () => {
  const code = ["db.selectFrom('users')", 'sql`select 1`', 'html`<p>`']
  assert.deepEqual(refusedLines(code.join('\n'), 'packages/server/src/any/user-routes.ts'), [1, 2])
})
