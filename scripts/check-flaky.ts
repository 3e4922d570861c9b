// flaky.md stays short and young: its rows are work, not excuses.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const mostRows = 5
const mostDays = 14
const day = 24 * 3600_000

/** What is wrong with the list on the day of the last commit, one sentence each. */
export function flakyProblems(text: string, today: Date): string[] {
  const entries = text.split('\n').flatMap((line) => {
    const [, date, name] = /^\| (\d{4}-\d\d-\d\d) \| ([^|]+) \|/.exec(line) ?? []
    return date ? [{ date, name }] : []
  })
  const old = entries.filter(({ date }) => today.getTime() - Date.parse(date) > mostDays * day)
  return [
    ...(entries.length > mostRows
      ? [`flaky.md has ${entries.length} rows: at most ${mostRows}. Find the causes first.`]
      : []),
    ...old.map(
      ({ date, name }) => `flaky.md: "${name}" is there since ${date}, longer than ${mostDays} days. Find its cause.`,
    ),
  ]
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const committed = execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' })
  for (const problem of flakyProblems(readFileSync(join(root, 'flaky.md'), 'utf8'), new Date(committed.trim()))) {
    console.error(problem)
    process.exitCode = 1
  }
}
