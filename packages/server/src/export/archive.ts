import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Member, tarArchive } from '../platform/files/tar.ts'
import { openTemporary } from '../platform/files/temporary.ts'

const pieceLength = 64 * 1024

/** Lines kept on the disk until they are packed. */
export interface Spool extends Member {
  drop(): Promise<void>
}

/** Writes things to the disk, one JSON text a line. */
export async function spool(name: string, things: AsyncIterable<object>, folder: string): Promise<Spool> {
  const handle = await openTemporary(folder)
  try {
    await handle.writeFile(linesOf(things))
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

/** In pieces of some size, because each is a write. */
async function* linesOf(things: AsyncIterable<object>): AsyncGenerator<string> {
  let text = ''
  for await (const thing of things) {
    text += `${JSON.stringify(thing)}\n`
    if (text.length < pieceLength) continue
    yield text
    text = ''
  }
  yield text
}

/** Takes an archive where it belongs. */
export type Store = (content: Readable) => Promise<unknown>

/** Packs the members one after another into a compressed tar archive. */
export async function storeArchive(store: Store, members: Iterable<Member> | AsyncIterable<Member>): Promise<void> {
  const gzip = createGzip()
  const packed = pipeline(Readable.from(tarArchive(members)), gzip)
  const results = await Promise.allSettled([store(gzip), packed])
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
