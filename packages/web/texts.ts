import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { parseMessage } from './message-format.ts'
import type { Texts } from './src/platform/i18n.ts'

export type Sources = Record<string, string>

export function compileTexts(locale: string, sources: Sources): Texts {
  const messages = Object.entries(sources).map(([id, source]) => [id, parseMessage(source)] as const)
  return { locale, messages: Object.fromEntries(messages) }
}

/** The texts in the order of the English ids. In the build, numbers take the place of ids, which are a third of the size. */
export function packTexts(locale: string, sources: Sources, ids: readonly string[]) {
  return { locale, messages: ids.map((id) => parseMessage(sources[id] ?? '')) }
}

export function readEnglish(): Sources {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'src/texts/en.json'), 'utf8'))
}

/** Parses the texts of each language while building, so that browsers need no parser. */
export function compiledTexts(): Plugin {
  let ids: string[] = []
  let numbers = new Map<string, number>()
  return {
    name: 'parley-texts',
    enforce: 'pre',
    buildStart() {
      ids = Object.keys(readEnglish())
      numbers = new Map(ids.map((id, index) => [id, index]))
    },
    transform(code, id) {
      const locale = /packages\/web\/src\/texts\/([\w-]+)\.json$/.exec(id)?.[1]
      if (locale) return JSON.stringify(packTexts(locale, JSON.parse(code), ids))
      if (!/packages\/web\/src\/.+\.tsx?$/.test(id)) return null
      return code.replace(/'(\w+(?:\.\w+)+)'/g, (literal, name) =>
        numbers.has(name) ? `'${numbers.get(name)}'` : literal,
      )
    },
  }
}
