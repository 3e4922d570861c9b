import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'
import { databaseUrl } from '../global-setup.ts'
import { readCallSites } from './call-sites.ts'
import { mismatches } from './compare.ts'
import { describeStatements } from './describe.ts'

/** The problems of `select` with the given row type, without the file name. */
async function problemsOf(call: string, select: string, nulls: string[] = []): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-row-types-'))
  const file = join(folder, 'query.ts')
  // Without the standard library, which takes a second to parse.
  await writeFile(file, `interface Array<T> { at: T }\ninterface Date { time: 1 }\n${call}(db)\`\``)
  const [site] = readCallSites(ts.createProgram([file], { noLib: true, strict: true, types: [] })).values()
  await rm(folder, { recursive: true })
  const columns = await describeStatements(databaseUrl(process.env.PARLEY_TEST_DATABASE!, 'parley_template'), [select])
  return mismatches(site!, columns.get(select)!, nulls).map((problem) => problem.replace(/^.*?:\d+: /, ''))
}

test('a row type that matches the columns is accepted', async () => {
  const row = '{ id: number; name: string | null; at: Date; ids: number[]; data: { a: 1 }; ok: boolean }'
  const select = `select 1::bigint id, 'x' name, now() as at, array[1::bigint] ids, '{}'::jsonb data, true ok`
  assert.deepEqual(await problemsOf(`many<${row}>`, select, ['name']), [])
})

test('a column of another type is refused', async () => {
  const select = 'select sum(n) as total, now() as at, array[1] as ids from (values (1::bigint)) v(n)'
  assert.deepEqual(await problemsOf('one<{ total: number; at: string; ids: string[] }>', select), [
    'total is declared as number, but the database returns string',
    'at is declared as string, but the database returns Date',
    'ids is declared as string[], but the database returns number[]',
  ])
})

test('missing and undeclared columns are refused', async () => {
  assert.deepEqual(await problemsOf('maybeOne<{ id: number; nmae: string }>', `select 1 as id, 'x' as name`), [
    'nmae is declared, but the statement does not return it',
    'the statement returns name, but it is not declared',
  ])
})

test('a column that was null is refused unless its type says so', async () => {
  const problem = 'id is declared as number, but it was null in a test'
  assert.deepEqual(await problemsOf('many<{ id: number }>', 'select 1 as id', ['id']), [problem])
})

test('column() needs one column of the declared type', async () => {
  assert.deepEqual(await problemsOf('column<number>', `select 1 as id, 2 as n`), [
    'column() needs one column, but the statement returns 2',
  ])
  assert.deepEqual(await problemsOf('column<number>', `select 'x' as name`), [
    'name is declared as number, but the database returns string',
  ])
})
