import { emojiTable } from './emoji-table.generated.ts'

/** Names and image of the only emoji that is neither in Unicode nor custom. */
export const extraEmoji: ReadonlySet<string> = new Set(['zulip', 'service'])
export const extraEmojiUrl = '/static/generated/emoji/images/emoji/unicode/zulip.png'

interface Tables {
  codes: Map<string, string>
  names: Map<string, string[]>
}

let tables: Tables | undefined

/** The code of a built-in emoji, by its canonical name or an alias. */
export function emojiCode(name: string): string | undefined {
  return load().codes.get(name)
}

/** The canonical name of the emoji with the code. */
export function emojiName(code: string): string | undefined {
  return load().names.get(code)?.[0]
}

/** All names for each code, the canonical one first. Clients load it as `code_to_names`. */
export function codeToNames(): Record<string, string[]> {
  return Object.fromEntries(load().names)
}

/** Whether the name is that of a built-in emoji. */
export function isBuiltInEmoji(name: string): boolean {
  return extraEmoji.has(name) || load().codes.has(name)
}

/** The code of a character or sequence: its code points without the variation selector. */
export function codeOf(characters: string): string {
  return Array.from(characters.replaceAll('\uFE0F', ''), (character) =>
    (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0'),
  ).join('-')
}

/** Replaces all names. Browsers do not contain the table: they get it from the server. */
export function setEmojiNames(codesAndNames: Iterable<[code: string, names: string[]]>): void {
  const names = new Map(codesAndNames)
  tables = { names, codes: new Map([...names].flatMap(([code, all]) => all.map((name) => [name, code]))) }
}

// Loaded on first use, to keep startup fast.
function load(): Tables {
  if (!tables) setEmojiNames(readTable())
  return tables!
}

function* readTable(): Iterable<[string, string[]]> {
  for (const line of emojiTable.trim().split('\n')) {
    const [code = '', ...names] = line.split(' ')
    yield [code, names]
  }
}
