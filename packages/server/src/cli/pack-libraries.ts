import { rename, rm } from 'node:fs/promises'
import { rolldown } from 'rolldown'
import { fileNameOf, packedFolder, packedLibraries } from './packed-libraries.ts'

/** Writes each library as one file; together, so that what they share exists once. The folder appears all at once. */
async function pack(folder: string): Promise<void> {
  const fresh = `${folder}.${process.pid}`
  const input = Object.fromEntries(packedLibraries.map((name) => [fileNameOf(name), name]))
  const bundle = await rolldown({ input, platform: 'node', treeshake: false, cwd: import.meta.dirname })
  await bundle.write({ dir: fresh, entryFileNames: '[name]', chunkFileNames: '[name]-[hash].mjs' })
  await bundle.close()
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
}

await pack(packedFolder())
