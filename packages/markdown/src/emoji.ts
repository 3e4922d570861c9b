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

// Loaded on first use, to keep startup fast.
function load(): Tables {
  tables ??= read()
  return tables
}

function read(): Tables {
  const codes = new Map<string, string>()
  const names = new Map<string, string[]>()
  for (const line of emojiTable.trim().split('\n')) {
    const [code = '', ...all] = line.split(' ')
    names.set(code, all)
    for (const name of all) codes.set(name, code)
  }
  return { codes, names }
}
