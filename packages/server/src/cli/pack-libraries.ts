import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { fileNameOf, packedFolder, packedLibraries } from './packed-libraries.ts'

/** Writes each library as one file; together, so that what they share exists once. The folder appears all at once. */
async function pack(folder: string): Promise<void> {
  const fresh = `${folder}.${process.pid}`
  await mkdir(fresh, { recursive: true })
  const entries = await Promise.all(packedLibraries.map((name) => writeEntry(fresh, name)))
  const bundle = await rolldown({ input: Object.fromEntries(entries), platform: 'node', treeshake: false })
  await bundle.write({ dir: fresh, entryFileNames: '[name]', chunkFileNames: '[name]-[hash].mjs' })
  await bundle.close()
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
}

/** A module that names the library's exports, because a bundle of a CommonJS library would only have a default one. */
async function writeEntry(folder: string, library: string): Promise<[name: string, file: string]> {
  const file = join(folder, `entry-${fileNameOf(library)}`)
  const names = Object.keys(await import(library)).filter((name) => name !== 'module.exports')
  await writeFile(file, `export { ${names.join(', ')} } from ${JSON.stringify(import.meta.resolve(library))}\n`)
  return [fileNameOf(library), file]
}

await pack(packedFolder())
