import { findLanguage } from '@parley/api/match-language'
import { type TextLanguage, textLanguage, textLanguages } from '../../platform/translations.ts'

/** Longer lists are none of a browser. */
const mostWanted = 20

/** The language that a browser asks for, if there are texts in it; otherwise English. */
export function pageLanguage(acceptLanguage: string | undefined): TextLanguage {
  return textLanguage(wantedLanguages(acceptLanguage ?? ''))
}

/** The first language that a browser asks for and that there are texts in. */
export function browserLanguage(acceptLanguage: string | undefined): string | undefined {
  return findLanguage(wantedLanguages(acceptLanguage ?? ''), textLanguages)
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
