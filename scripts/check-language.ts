// Refuses archaic wording everywhere, and awkward syntax in the texts of the web client.
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

/** Syntax that made texts of the web client hard to read: fragments, and clauses that carry the point. */
const inTexts: [RegExp, string][] = [
  [/\bby (itself|themselves)\b/i, 'automatically'],
  [/(?<!same )\bas (its|the|their) (channel|organization|system)s?\b(?! )/i, 'same as the …, or what changes'],
  [/\bare meant\b/i, 'the rule itself: "Only people with … can …"'],
  [/\bthose (who|that|of)\b/i, 'people who …'],
  [/^also\b|[,;] also\b|\band also\b/i, '"and", or a sentence of its own'],
  [/^(That (?!is\b)|Of |Including )/, 'a sentence with a subject'],
  [/^What(ever)?\b.*\.$/, 'the thing itself, not "what …"'],
  [/\bpass (it|them|this|these)\b.*\bon\b/i, 'give, share'],
  [/\blook (whether|if|into)\b/i, 'check'],
  [/\b(is|are) (tried|sent) again\b/i, 'retry, "is being sent again"'],
  [/\b(has|have|had)\b.*\balready\b[.!]?$/i, '"already" before the object'],
]

/** The English texts of the web client; other languages are translations of them. */
const texts = /(^|\/)texts\/en\.json$/
const checked = /\.(ts|tsx|md|sql|css|html|sh)$|^\.ci\/run$|(^|\/)texts\/en\.json$/
const excluded = /stop-words\.ts$|\.generated\.ts$|^scripts\/check-language(\.test)?\.ts$|^docs\/glossary\.md$/

/** The wordings of a file to replace, one sentence each. */
export function wordingProblems(path: string, content: string): string[] {
  const isTexts = texts.test(path)
  const refused = isTexts ? [...replacements, ...inTexts] : replacements
  return content.split('\n').flatMap((line, index) => {
    const text = isTexts ? valueIn(line) : line
    return refused.flatMap(([pattern, instead]) => {
      const found = text.match(pattern)
      return found ? [`${path}:${index + 1}: "${found[0]}": write ${instead}`] : []
    })
  })
}

/** `"id": "Text",` without the id and the quotation marks; empty for what is no text, or words that find a page. */
function valueIn(line: string): string {
  const [, id, value] = line.match(/^ *"([^"]+)": (".*"),?$/) ?? []
  return id === undefined || id.endsWith('.finds') ? '' : (JSON.parse(value!) as string)
}

if (import.meta.main) {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')
  const read = files.filter((path) => checked.test(path) && !excluded.test(path))
  const found = read.flatMap((path) => wordingProblems(path, readFileSync(path, 'utf8')))
  for (const line of found) console.error(line)
  if (found.length > 0) {
    console.error(`${found.length} lines to reword; docs/glossary.md has the words we use.`)
    process.exitCode = 1
  }
}
