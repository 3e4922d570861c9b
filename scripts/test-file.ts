// Runs test files with node:test. PostgreSQL is started only if one of them reaches it.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const setup = 'packages/server/src/testing/global-setup.ts'

/** Whether the file, or anything of ours that it imports, contains the text. Files that are `known` do not. */
export function reaches(wanted: string, file: string, known = new Set<string>()): boolean {
  if (known.has(file) || !existsSync(file)) return false
  known.add(file)
  const text = readFileSync(file, 'utf8')
  if (text.includes(wanted)) return true
  const imported = [...text.matchAll(/(?:from |import\(|import )'(\.[^']+\.tsx?)'/g)]
  return imported.some(([, path]) => reaches(wanted, resolve(dirname(file), path!), known))
}

if (import.meta.main) {
  const given = process.argv.slice(2)
  const files = given.filter((one) => !one.startsWith('-')).flatMap((pattern) => globSync(pattern))
  const known = new Set<string>()
  const needsDatabase = files.some((file) => reaches('PARLEY_TEST_DATABASE', resolve(file), known))
  const options = ['--test', ...(needsDatabase ? [`--test-global-setup=${setup}`] : [])]
  const { status } = spawnSync(process.execPath, [...options, ...given], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}
