import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Every feature has these, with the same job in each; a command of the CLI is named after what the user types. */
const shared = /\/(routes|access|actions|queries|jobs|initial-state)\.ts$|\/cli\//

/** Files with the same name, which a reader cannot tell apart in a search. */
export function findRepeatedNames(paths: string[]): string[][] {
  const named = Map.groupBy(
    paths.filter((path) => !shared.test(path) && !path.endsWith('.test.ts')),
    (path) => basename(path),
  )
  return [...named.values()].filter((same) => same.length > 1)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const files = globSync('packages/server/src/**/*.ts', { cwd: root }).sort()
  for (const paths of findRepeatedNames(files)) {
    console.error(`Two jobs, one name: rename one of ${paths.join(', ')}`)
    process.exitCode = 1
  }
}
