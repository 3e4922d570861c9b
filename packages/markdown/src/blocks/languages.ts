import { languageTable } from './language-table.generated.ts'

/** A language that code fences can name. */
export interface Language {
  /** The name that clients use. */
  name: string
  /** The matching highlight.js grammar; absent for plain text. */
  grammar?: string
}

let byWord: Map<string, Language> | undefined

/** The language that the word after a fence refers to. */
export function findLanguage(word: string): Language | undefined {
  byWord ??= new Map(languageTable.trim().split('\n').flatMap(entries))
  return byWord.get(word)
}

function entries(line: string): [string, Language][] {
  const [name = '', grammar, words = ''] = line.split('|')
  const language: Language = grammar ? { name, grammar } : { name }
  return words.split(' ').map((word) => [word, language])
}
