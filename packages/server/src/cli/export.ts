import { access, type FileHandle, open, rename, rm } from 'node:fs/promises'
import { transactIn } from '../context.ts'
import { makeArchive } from '../operation/export/making.ts'
import { type ExportKind, exportKinds } from '../operation/export/scope.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { findRealm, withContext } from './open-context.ts'

interface ExportOptions {
  type: ExportKind
  realm?: string
}

/** Writes the same export as the API, without its limits; or a full one, which the API does not offer. */
export async function exportTo(file: string, options: ExportOptions): Promise<void> {
  if (await exists(file)) throw new StartupError(`${file} already exists: choose another file, or delete it.`)
  await writeWhole(file, (handle) => writeExport(handle, options))
  console.log(`Wrote ${file}, which only you can read.`)
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/**
 * Written to a temporary file and renamed, so that the final file is always complete. Creating it first shows early
 * whether it can be written.
 */
async function writeWhole(file: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const aside = `${file}.unfinished`
  const handle = await open(aside, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'an export that is running, or was killed, has it' : error.code
    throw new StartupError(`${aside} cannot be created (${why}).`)
  })
  try {
    await write(handle)
    await handle.sync()
    await rename(aside, file)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

function writeExport(handle: FileHandle, { type, realm: stringId }: ExportOptions): Promise<void> {
  return withContext(async (ctx) => {
    const realm = await findRealm(ctx.db, stringId)
    const export_type = exportKinds[type]
    console.log(`Exporting ${realm.name} (${type}):`)
    await transactIn(ctx, realm.id, (tx) => tx.audit(null, 'export_written', { export_type }))
    await makeArchive(
      ctx,
      realm.id,
      export_type,
      (content) => handle.writeFile(content),
      (line) => console.log(`  ${line}`),
    )
  })
}
