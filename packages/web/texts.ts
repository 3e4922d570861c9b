import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { firstModules } from './first-modules.ts'
import { parseMessage } from './message-format.ts'
import type { Message, Texts } from './src/platform/i18n.ts'

export type Sources = Record<string, string>

export function compileTexts(locale: string, sources: Sources): Texts {
  const messages = Object.entries(sources).map(([id, source]) => [id, parseMessage(source)] as const)
  return { locale, messages: Object.fromEntries(messages) }
}

/** The texts in the order of the ids. In the build, numbers take the place of ids, which are a third of the size. */
export function packTexts(sources: Sources, ids: readonly string[]): Message[] {
  return ids.map((id) => parseMessage(sources[id] ?? ''))
}

export function readEnglish(): Sources {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'src/texts/en.json'), 'utf8'))
}

/** The ids that are needed before `lazyPart` has loaded anything, and all others. */
export function splitIds(): { first: string[]; more: string[] } {
  const sources = [...firstModules(join(import.meta.dirname, 'src/main.tsx')).values()]
  const named = new Set(sources.flatMap((source) => [...source.matchAll(textId)].map(([, id]) => id)))
  const ids = Object.keys(readEnglish())
  return { first: ids.filter((id) => named.has(id)), more: ids.filter((id) => !named.has(id)) }
}

const textId = /'(\w+(?:\.\w+)+)'/g

/**
 * Parses the texts of each language while building, so that browsers need no parser. `de.json` has those of the first
 * screen, `de.json?more` the others.
 */
export function compiledTexts(): Plugin {
  let first: string[] = []
  let more: string[] = []
  let numbers = new Map<string, number>()
  return {
    name: 'parley-texts',
    enforce: 'pre',
    buildStart() {
      ;({ first, more } = splitIds())
      numbers = new Map([...first, ...more].map((id, index) => [id, index]))
    },
    transform(code, id) {
      const [, locale, isMore] = /packages\/web\/src\/texts\/([\w-]+)\.json(\?more)?$/.exec(id) ?? []
      if (locale && isMore) return `export default ${JSON.stringify(packTexts(JSON.parse(code), more))}`
      if (locale) return JSON.stringify({ locale, messages: packTexts(JSON.parse(code), first) })
      if (!id.includes('packages/web/src/') || !/\.tsx?$/.test(id)) return null
      return code.replace(textId, (literal, name) => (numbers.has(name) ? `'${numbers.get(name)}'` : literal))
    },
  }
}
