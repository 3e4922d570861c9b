import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An unnamed temporary file: it disappears when it is closed, or when the process ends in any way. */
export async function openTemporary(folder = tmpdir()): Promise<FileHandle> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `parley-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path)
  return handle
}
