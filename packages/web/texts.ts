import type { Plugin } from 'vite'
import { parseMessage } from './message-format.ts'
import type { Texts } from './src/platform/i18n.ts'

export function compileTexts(locale: string, sources: Record<string, string>): Texts {
  const messages = Object.entries(sources).map(([id, source]) => [id, parseMessage(source)] as const)
  return { locale, messages: Object.fromEntries(messages) }
}

/** Parses the texts of each language while building, so that browsers need no parser. */
export function compiledTexts(): Plugin {
  return {
    name: 'parley-texts',
    enforce: 'pre',
    transform(code, id) {
      const locale = /src\/texts\/([\w-]+)\.json$/.exec(id)?.[1]
      return locale && JSON.stringify(compileTexts(locale, JSON.parse(code)))
    },
  }
}
