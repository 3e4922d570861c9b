import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { firstModules } from './first-modules.ts'

const packages = join(import.meta.dirname, '..')
const operations = 'client/src/wire/wire.generated.ts'
const icons = 'web/src/ui/icons.generated.ts'
const entry = /^ {2}'?([\w-]+)'?: \[/

/**
 * Splits the tables of operations and icons: what the first screen names is in the module itself, what only later parts
 * name in `?more`. Operations that no source names are left out.
 */
export function loadedLater(): Plugin {
  let first = new Set<string>()
  let all = new Set<string>()
  return {
    name: 'parley-loaded-later',
    enforce: 'pre',
    buildStart() {
      const client = readSources('client/src/**/*.ts')
      first = wordsOf([...client, ...withoutTables(firstModules(join(packages, 'web/src/main.tsx')))])
      all = wordsOf([...client, ...readSources('web/src/**/*.{ts,tsx}')])
    },
    transform(code, id) {
      const [path = '', query] = id.split('?')
      if (![operations, icons].some((table) => path.endsWith(`/packages/${table}`))) return null
      const isKept = (name: string) => (query === 'more' ? all.has(name) && !first.has(name) : first.has(name))
      const kept = code.split('\n').filter((line) => {
        const name = entry.exec(line)?.[1]
        return name === undefined || isKept(name)
      })
      return kept.join('\n')
    },
  }
}

function wordsOf(sources: readonly string[]): Set<string> {
  return new Set(sources.flatMap((source) => [...source.matchAll(/['"]([\w-]+)['"]/g)].map(([, word]) => word!)))
}

function withoutTables(modules: Map<string, string>): string[] {
  return [...modules].filter(([path]) => !path.endsWith(icons)).map(([, source]) => source)
}

function readSources(pattern: string): string[] {
  return globSync(pattern, { cwd: packages })
    .filter((name) => name !== operations && name !== icons && !/\.test\.ts$/.test(name))
    .map((name) => readFileSync(join(packages, name), 'utf8'))
}
