import { language, setTexts, type Texts } from './i18n.ts'
import { matchLanguage } from './match-language.ts'

/** One script per language; only the chosen one is loaded. */
const files = import.meta.glob<Texts>('../texts/*.json', { import: 'default' })
const loaders = new Map(Object.entries(files).map(([path, load]) => [/([\w-]+)\.json$/.exec(path)![1]!, load]))

/** The languages there are texts for, by their own names. */
export const languages = [...loaders.keys()].map((code) => ({
  ...{ code, name: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code },
}))

const storageKey = 'language'

/** The language that was used last on this device, or else one that the browser asks for. */
export function startLanguage(): Promise<void> {
  return showLanguage([localStorage.getItem(storageKey) ?? '', ...navigator.languages])
}

export async function chooseLanguage(code: string): Promise<void> {
  localStorage.setItem(storageKey, code)
  await showLanguage([code])
}

let wanted = ''

async function showLanguage(codes: readonly string[]): Promise<void> {
  const code = matchLanguage(codes, [...loaders.keys()])
  wanted = code
  const texts = await loaders.get(code)!()
  if (wanted !== code || language() === texts.locale) return
  document.documentElement.lang = texts.locale
  document.documentElement.dir = directionOf(texts.locale)
  setTexts(texts)
}

const rightToLeft = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

function directionOf(locale: string): 'ltr' | 'rtl' {
  return rightToLeft.has(new Intl.Locale(locale).language) ? 'rtl' : 'ltr'
}
