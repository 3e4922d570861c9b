import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** They consist of 600 small files, whose loading is half of the time that a command takes. */
export const packedLibraries = ['kysely', 'typebox', 'typebox/compile']

const root = join(import.meta.dirname, '../../../..')

/** Other versions of the libraries have another folder. */
export function packedFolder(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  return join(root, 'node_modules/.cache/parley/libraries', hash.digest('hex').slice(0, 16))
}

export function fileNameOf(library: string): string {
  return `${library.replace('/', '-')}.mjs`
}

/** From now on loads the libraries from the files that an earlier start of the server wrote, if one did. */
export function usePackedLibraries(folder = packedFolder()): void {
  if (!existsSync(folder)) return
  const urls = new Map(packedLibraries.map((name) => [name, pathToFileURL(join(folder, fileNameOf(name))).href]))
  registerHooks({
    resolve(name, context, next) {
      const url = urls.get(name)
      return url === undefined ? next(name, context) : { url, format: 'module', shortCircuit: true }
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
