// Compares the files of a release with the sizes that docs/packaging.md names, and with the largest that we allow.
// scripts/node scripts/release/check-sizes.ts release/VERSION
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** In MB. */
const largest: Record<string, number> = { '.oci.tar': 95, '.tgz': 10, '.tar.gz': 100, '.deb': 100 }

const folder = process.argv[2]!
const page = readFileSync(join(import.meta.dirname, '../../docs/packaging.md'), 'utf8')
const rows = [...page.matchAll(/^\| `([^`]+)` \| .*?(\d+) MB.* \|$/gm)]
if (rows.length < 4) throw new Error('docs/packaging.md has no sizes of the files of a release.')
const problems = rows.flatMap(([, name, said]) => problemsOf(name!, Number(said)))
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

function problemsOf(name: string, said: number): string[] {
  const pattern = name.replace('VERSION', '*')
  const paths = globSync(pattern, { cwd: folder }).filter(
    (path) => path.includes('external') === name.includes('external'),
  )
  return paths.flatMap((path) => {
    const size = statSync(join(folder, path)).size / 1e6
    console.log(`${path}: ${size.toFixed(1)} MB`)
    const limit = Object.entries(largest).find(([end]) => path.endsWith(end))![1]
    return [
      ...(Math.abs(size - said) > Math.max(size / 10, 1)
        ? [`docs/packaging.md says that ${path} has ${said} MB.`]
        : []),
      ...(size > limit ? [`${path} is larger than ${limit} MB.`] : []),
    ]
  })
}
