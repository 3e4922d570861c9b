import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** They consist of 800 small files, whose loading is half of the time that a command takes. */
export const packedLibraries = ['kysely', 'prom-client', 'typebox', 'typebox/compile', 'undici']

const root = join(import.meta.dirname, '../../../..')

/** Other libraries, or other versions of them, have another folder. */
export function packedFolder(): string {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(packedLibraries.join())
  return join(root, 'node_modules/.cache/parley/libraries', hash.digest('hex').slice(0, 16))
}

export function fileNameOf(library: string): string {
  return `${library.replace('/', '-')}.mjs`
}

/**
 * From now on loads the libraries from the files that an earlier start of the server wrote, if one did. The names of our
 * own files are complete, so they are not looked for either.
 */
export function usePackedLibraries(folder = packedFolder()): void {
  const names = existsSync(folder) ? packedLibraries : []
  const urls = new Map(names.map((name) => [name, pathToFileURL(join(folder, fileNameOf(name))).href]))
  registerHooks({
    resolve(name, context, next) {
      const url = urls.get(name)
      if (url !== undefined) return { url, format: 'module', shortCircuit: true }
      if (!/^\..*\.ts$/.test(name)) return next(name, context)
      return { url: new URL(name, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
    },
  })
}

/** Writes them in a process of its own. If that fails, as in a read-only installation, programs only start slower. */
export function packLibraries(): void {
  if (existsSync(packedFolder())) return
  const program = join(import.meta.dirname, 'pack-libraries.ts')
  spawn(process.execPath, [program], { stdio: 'ignore' })
    .on('error', () => {})
    .unref()
}
