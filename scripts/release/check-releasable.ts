import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A release is made of committed files, and its changes are in the changelog. */
export function checkReleasable(repository: string, version: string): void {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: repository, encoding: 'utf8' })
  if (changes !== '') throw new Error(`Commit these files first, or use --dry-run:\n${changes}`)
  const problem = problemOfChangelog(readFileSync(join(repository, 'CHANGELOG.md'), 'utf8'), version)
  if (problem) throw new Error(problem)
}

export function problemOfChangelog(changelog: string, version: string): string | undefined {
  const [newest = ''] = changelog.split(/^## /m).slice(1)
  if (!newest.startsWith(`${version} (`)) return `CHANGELOG.md does not begin with a section "## ${version} (DATE)".`
  return /^- /m.test(newest) ? undefined : `The section ${version} of CHANGELOG.md lists no change.`
}
