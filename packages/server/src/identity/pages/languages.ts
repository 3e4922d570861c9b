import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findLanguage } from '@parley/api/match-language'
import type { Translate } from '../../platform/html.ts'
import { publicFolder } from '../../platform/installation.ts'

/** A language that our pages are shown in. */
export interface PageLanguage {
  code: string
  translate: Translate
}

const folder = join(publicFolder, 'texts')
const available = ['en', ...readdirSync(folder).map((name) => name.replace('.json', ''))]
const loaded = new Map<string, PageLanguage>()

/** Longer lists are none of a browser. */
const mostWanted = 20

/** The language that a browser asks for, if there are texts in it; otherwise English. */
export function pageLanguage(acceptLanguage: string | undefined): PageLanguage {
  const code = browserLanguage(acceptLanguage) ?? 'en'
  const language = loaded.get(code) ?? loadLanguage(code)
  loaded.set(code, language)
  return language
}

/** The first language that a browser asks for and that there are texts in. */
export function browserLanguage(acceptLanguage: string | undefined): string | undefined {
  return findLanguage(wantedLanguages(acceptLanguage ?? ''), available)
}

/** The tags of `de;q=0.8, fr`, the most wanted first. */
export function wantedLanguages(acceptLanguage: string): string[] {
  const wanted = acceptLanguage.split(',', mostWanted).map((entry) => {
    const [tag = '', weight = ''] = entry.split(';')
    return { tag: tag.trim(), weight: Number(weight.trim().replace('q=', '') || 1) }
  })
  return wanted
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}

/** Texts without a translation are shown in English, such as rare error messages. */
function loadLanguage(code: string): PageLanguage {
  if (code === 'en') return { code, translate: (english) => english }
  const texts = new Map(Object.entries(JSON.parse(readFileSync(join(folder, `${code}.json`), 'utf8')) as object))
  return { code, translate: (english) => texts.get(english) ?? english }
}
