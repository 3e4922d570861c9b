import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Member, tarArchive } from '../../platform/files/tar.ts'
import { openTemporary } from '../../platform/files/temporary.ts'

const chunkLength = 64 * 1024

/** A temporary file with the lines of a section. */
export interface Spool extends Member {
  drop(): Promise<void>
}

/** Writes objects to a temporary file, one JSON object per line. */
export async function spool(name: string, objects: AsyncIterable<object>, folder: string): Promise<Spool> {
  const handle = await openTemporary(folder)
  try {
    await handle.writeFile(linesOf(objects))
    return await spoolOf(name, handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function spoolOf(name: string, handle: FileHandle): Promise<Spool> {
  const { size } = await handle.stat()
  return {
    name,
    size,
    read: () => handle.createReadStream({ start: 0, autoClose: false }),
    drop: () => handle.close(),
  }
}

/** Joins lines into chunks, because each chunk is one write. */
async function* linesOf(objects: AsyncIterable<object>): AsyncGenerator<string> {
  let text = ''
  for await (const object of objects) {
    text += `${JSON.stringify(object)}\n`
    if (text.length < chunkLength) continue
    yield text
    text = ''
  }
  yield text
}

/** Stores the archive. */
export type Store = (content: Readable) => Promise<unknown>

/** Packs the members one after another into a compressed tar archive. */
export async function storeArchive(store: Store, members: Iterable<Member> | AsyncIterable<Member>): Promise<void> {
  const gzip = createGzip()
  const packed = pipeline(Readable.from(tarArchive(members)), gzip)
  const results = await Promise.allSettled([store(gzip), packed])
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
