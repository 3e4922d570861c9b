import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectExpressions } from './expressions/collect.ts'
import { findGrowth } from './expressions/growth.ts'

/** Tests run expressions on their own texts. */
const exempt =
  /\.test\.tsx?$|\/(testing|journeys|node_modules|dist)\/|\/testing\.ts$|\.generated\.ts$|^packages\/\w+\/scripts\//

/** The regular expressions in a file that take more than linear time, without those that have a reason beside them. */
export function findSlowExpressions(path: string, text: string): string[] {
  return collectExpressions(path, text)
    .filter(({ reason }) => reason === undefined)
    .flatMap(({ line, source, flags }) => {
      if (source === undefined) return [`${path}:${line} an expression that is known only when it runs: use re2js`]
      const problem = problemOf(source, flags)
      return problem === undefined ? [] : [`${path}:${line} /${source}/${flags}: ${problem}`]
    })
}

const known = new Map<string, string | undefined>()

function problemOf(source: string, flags: string): string | undefined {
  const key = `${source}/${flags}`
  if (!known.has(key)) known.set(key, judge(source, flags))
  return known.get(key)
}

function judge(source: string, flags: string): string | undefined {
  try {
    const repeated = findGrowth(source, flags)
    return repeated === undefined ? undefined : `takes more than linear time on many ${JSON.stringify(repeated)}`
  } catch (error) {
    return (error as Error).message
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const files = globSync('packages/**/*.{ts,tsx}', { cwd: root, exclude: ['**/node_modules'] }).filter(
    (path) => !exempt.test(path),
  )
  for (const path of files.sort())
    for (const problem of findSlowExpressions(path, readFileSync(join(root, path), 'utf8'))) {
      console.error(problem)
      process.exitCode = 1
    }
  if (process.exitCode === 1)
    console.error('Rewrite these, or give the reason why they are harmless in a comment beside them: // Not linear: …')
}
