import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { storedFolder } from '../../packages/server/src/testing/upgrade/stored-backup.ts'

/** A release is made of committed files, its changes are in the changelog, and later versions can be tested with its data. */
export function checkReleasable(repository: string, version: string): void {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: repository, encoding: 'utf8' })
  if (changes !== '') throw new Error(`Commit these files first, or use --dry-run:\n${changes}`)
  const problem = problemOfChangelog(readFileSync(join(repository, 'CHANGELOG.md'), 'utf8'), version)
  if (problem) throw new Error(problem)
  if (!hasStoredBackup(version))
    throw new Error('Run scripts/node scripts/release/store-backup.ts, and commit the file.')
}

export function problemOfChangelog(changelog: string, version: string): string | undefined {
  const [newest = ''] = changelog.split(/^## /m).slice(1)
  if (!newest.startsWith(`${version} (`)) return `CHANGELOG.md does not begin with a section "## ${version} (DATE)".`
  return /^- /m.test(newest) ? undefined : `The section ${version} of CHANGELOG.md lists no change.`
}

export function hasStoredBackup(version: string): boolean {
  return existsSync(join(storedFolder, `${version}.tar.zst`))
}
