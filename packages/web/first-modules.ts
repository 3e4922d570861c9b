import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The sources that run before `lazyPart`, `earlyPart` and `loadLater` have loaded anything, with their contents. */
export function firstModules(entry: string): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (path: string) => {
    if (found.has(path)) return
    const source = readFileSync(path, 'utf8')
    found.set(path, source)
    for (const name of importsOf(source)) visit(join(dirname(path), name))
  }
  visit(entry)
  return found
}

/** What a source imports from its own package, except types and parts that are loaded later. */
function importsOf(source: string): string[] {
  const needed = source
    .replace(/\b(?:(?:lazyPart|earlyPart|loadLater)\(\(\) =>\s{0,20}import|import\.meta\.glob)\('[^']*'/g, '')
    .split('\n')
    .filter((line) => !line.startsWith('import type '))
    .join('\n')
  return [...needed.matchAll(/'(\.\.?\/[^'\s]*\.tsx?)'/g)].map(([, name]) => name!)
}
