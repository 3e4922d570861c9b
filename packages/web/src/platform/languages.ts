import { directionOf, matchLanguage } from '@parley/api/match-language'
import { addTexts, language, type Message, setTexts, type Texts } from './i18n.ts'

/** Two scripts per language, of which only the chosen one is loaded: the texts of the first screen, and all others. */
const loaders = byCode(import.meta.glob<Texts>('../texts/*.json', { import: 'default' }))
const moreLoaders = byCode(import.meta.glob<Message[]>('../texts/*.json', { import: 'default', query: '?more' }))

function byCode<File>(files: Record<string, () => Promise<File>>): Map<string, () => Promise<File>> {
  return new Map(Object.entries(files).map(([path, load]) => [codeIn(path), load]))
}

/** `de` for `../texts/de.json`. */
function codeIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1, -'.json'.length)
}

/** Languages whose texts were reviewed on every screen. */
const reviewed = new Set(['en', 'de'])

/** The languages there are texts for, by their own names. */
export const languages = [...loaders.keys()].map((code) => ({
  code,
  name: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
  isFirstTranslation: !reviewed.has(code),
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
let needsMore = false
/** The language that has all its texts. */
let complete = ''
let switching: Promise<unknown> = Promise.resolve()

function showLanguage(codes: readonly string[]): Promise<void> {
  const code = matchLanguage(codes, [...loaders.keys()])
  wanted = code
  const shown = show(code)
  switching = shown.catch(() => {})
  return shown
}

async function show(code: string): Promise<void> {
  const [texts, more] = await Promise.all([loaders.get(code)!(), needsMore ? moreLoaders.get(code)!() : undefined])
  if (wanted !== code || language() === texts.locale) return
  document.documentElement.lang = texts.locale
  document.documentElement.dir = directionOf(texts.locale)
  setTexts(texts, more)
  complete = more ? code : ''
}

/** Loads what parts need that are not on the first screen. From now on, each language is shown with all its texts. */
export async function loadAllTexts(): Promise<void> {
  needsMore = true
  await switching
  if (complete === wanted) return
  const code = wanted
  const more = await moreLoaders.get(code)!()
  if (code !== wanted || complete === code) return
  addTexts(more)
  complete = code
}
