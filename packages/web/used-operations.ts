import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const table = 'client/src/wire/wire.generated.ts'

/** Leaves out what the client knows about operations whose names none of its sources contains: a third of them. */
export function usedOperations(): Plugin {
  let words = new Set<string>()
  return {
    name: 'parley-operations',
    enforce: 'pre',
    buildStart() {
      words = new Set(readSources().flatMap((source) => source.match(/\w+/g) ?? []))
    },
    transform(code, id) {
      if (!id.endsWith(table)) return null
      const isUsed = (line: string) => !/^ {2}\w+: \[/.test(line) || words.has(line.slice(2, line.indexOf(':')))
      return code.split('\n').filter(isUsed).join('\n')
    },
  }
}

function readSources(): string[] {
  const cwd = join(import.meta.dirname, '..')
  return globSync('{web,client}/src/**/*.{ts,tsx}', { cwd })
    .filter((name) => name !== table && !/\.test\.ts$/.test(name))
    .map((name) => readFileSync(join(cwd, name), 'utf8'))
}
