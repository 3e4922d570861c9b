import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Archaic wording and what to write instead; docs/glossary.md has the words we use. */
const replacements: [RegExp, string][] = [
  [/\bwho(m|so)?ever\b/i, 'users who …'],
  [/\bwhom\b/i, 'who, which users'],
  [/\bsomebody\b|\bsome one\b/i, 'a user'],
  [/\banew\b/i, 'again, new'],
  [/\btells? of\b|\btold\b|\btold of\b/i, 'emit, notify, return'],
  [/\bhears? of\b/i, 'receive, learn about'],
  [/\bmeanwhile\b/i, 'while …, concurrently'],
  [/\bin vain\b/i, 'without effect'],
  [/\bto and fro\b/i, 'back and forth'],
  [/\bhenceforth\b|\bthereby\b|\bwhereby\b|\bthereof\b|\bhitherto\b/i, 'plain words'],
]

const checked = /\.(ts|tsx|md|sql|css|html|sh)$|^\.ci\/run$/
const excluded = /stop-words\.ts$|\.generated\.ts$|^scripts\/check-language\.ts$|^docs\/glossary\.md$/

/** Every line of the file with its number. */
function* wordings(path: string): Generator<[line: number, text: string]> {
  for (const [index, text] of readFileSync(path, 'utf8').split('\n').entries()) yield [index + 1, text]
}

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => checked.test(path) && !excluded.test(path))
const found = files.flatMap((path) =>
  [...wordings(path)].flatMap(([line, text]) =>
    replacements
      .filter(([pattern]) => pattern.test(text))
      .map(([pattern, instead]) => `${path}:${line}: "${text.match(pattern)![0]}": write ${instead}`),
  ),
)
for (const line of found) console.error(line)
if (found.length > 0) {
  console.error(`${found.length} lines to reword; docs/glossary.md has the words we use.`)
  process.exit(1)
}
