import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findLanguage } from '@parley/api/match-language'
import type { Phrase, Translate } from './html.ts'
import { publicFolder } from './installation.ts'

/** A language that our pages and emails are written in. */
export interface TextLanguage {
  code: string
  translate: Translate
}

const folder = join(publicFolder, 'texts')
export const textLanguages: readonly string[] = ['en', ...readdirSync(folder).map((name) => name.replace('.json', ''))]
const loaded = new Map<string, TextLanguage>()

/** The first of these languages that there are texts in; otherwise English. */
export function textLanguage(wanted: string[]): TextLanguage {
  const code = findLanguage(wanted, textLanguages) ?? 'en'
  const language = loaded.get(code) ?? loadLanguage(code)
  loaded.set(code, language)
  return language
}

/** Writes phrases as plain text in a language. */
export type Write = (phrase: Phrase) => string

export function writerIn(language: string): Write {
  const { translate } = textLanguage([language])
  return (phrase) => phrase.plain(translate)
}

/** Texts without a translation are shown in English, such as rare error messages. */
function loadLanguage(code: string): TextLanguage {
  if (code === 'en') return { code, translate: (english) => english }
  const texts = new Map(Object.entries(JSON.parse(readFileSync(join(folder, `${code}.json`), 'utf8')) as object))
  return { code, translate: (english) => texts.get(english) ?? english }
}
