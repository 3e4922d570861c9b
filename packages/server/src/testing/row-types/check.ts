import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readCallSites, serverProgram } from './call-sites.ts'
import { mismatches } from './compare.ts'
import { describeStatements } from './describe.ts'
import type { Statement } from './recorder.ts'

/** Compares the row types in the source with the columns of the statements that tests executed. */
export async function checkRowTypes(url: string, folder: string): Promise<{ problems: string[]; summary: string }> {
  const statements = await readStatements(folder)
  const columns = await describeStatements(
    url,
    statements.map(({ text }) => text),
  )
  const sites = readCallSites(serverProgram())
  const checked = new Set<string>()
  const problems = new Set<string>()
  for (const { site: key, text, nulls } of statements) {
    const site = sites.get(key)
    const actual = columns.get(text)
    if (!site || !actual) continue
    checked.add(key)
    for (const problem of mismatches(site, actual, nulls)) problems.add(problem)
  }
  const left = [...sites].filter(([key]) => !checked.has(key)).map(([, { place }]) => place)
  return { problems: [...problems].sort(), summary: summarize(sites.size, left) }
}

/** The list is useful after a run of all tests only. */
function summarize(total: number, left: string[]): string {
  const listed =
    left.length > 0 && left.length <= 40 ? ` Not executed, or not describable:\n  ${left.join('\n  ')}` : ''
  return `Row types: ${total - left.length} of ${total} call sites checked.${listed}`
}

async function readStatements(folder: string): Promise<Statement[]> {
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => JSON.parse(text) as Statement[])
}
