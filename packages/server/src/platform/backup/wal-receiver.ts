import { type FileHandle, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Replication } from './replication.ts'
import { isSegment, lsnText, segmentEnd, segmentName, segmentSize } from './wal-segments.ts'

/** Keeps the WAL on the server until it is received, also while nobody receives it. */
export const slotName = 'parley_backup'

const epoch2000 = 946_684_800_000
const partial = '.partial'

/** Where to continue: after the last complete segment. */
export async function continueAt(folder: string): Promise<bigint | undefined> {
  const last = (await readdir(folder)).filter(isSegment).sort().at(-1)
  return last === undefined ? undefined : segmentEnd(last)
}

/**
 * Receives WAL until the connection ends, and acknowledges it once it is flushed to disk. `start` is the first byte of a
 * segment.
 */
export async function receiveWal(
  replication: Replication,
  folder: string,
  timeline: number,
  start: bigint,
  flushed: (position: bigint) => void,
): Promise<void> {
  const writer = new SegmentWriter(folder, timeline, start)
  const command = `START_REPLICATION SLOT ${slotName} PHYSICAL ${lsnText(start)} TIMELINE ${timeline}`
  try {
    await replication.copy(command, async (message, reply) => {
      if (message[0] === 0x77 /* w: data */) await writer.write(message.readBigUInt64BE(1), message.subarray(25))
      const isAsked = message[0] === 0x6b /* k: keepalive */ && message[17] === 1
      if (!isAsked && writer.isFlushed) return
      await writer.flush()
      reply(statusOf(writer.position))
      flushed(writer.position)
    })
  } finally {
    await writer.close()
  }
}

/** "Everything up to here is written, flushed and applied." */
function statusOf(position: bigint): Buffer {
  const message = Buffer.alloc(34)
  message.write('r')
  for (const at of [1, 9, 17]) message.writeBigUInt64BE(position, at)
  message.writeBigInt64BE(BigInt(Date.now() - epoch2000) * 1000n, 25)
  return message
}

/** Writes segment files. The unfinished one has another name, and is filled with zeros up to its full size. */
class SegmentWriter {
  readonly #folder: string
  readonly #timeline: number
  #handle: FileHandle | undefined
  #path = ''
  position: bigint
  isFlushed = true

  constructor(folder: string, timeline: number, start: bigint) {
    this.#folder = folder
    this.#timeline = timeline
    this.position = start
  }

  async write(at: bigint, data: Buffer): Promise<void> {
    if (at !== this.position) throw new Error(`WAL continues at ${lsnText(at)} instead of ${lsnText(this.position)}`)
    for (let rest = data; rest.length > 0; ) {
      const offset = Number(this.position % BigInt(segmentSize))
      this.#handle ??= await this.#openSegment()
      const piece = rest.subarray(0, segmentSize - offset)
      await this.#handle.write(piece, 0, piece.length, offset)
      this.position += BigInt(piece.length)
      this.isFlushed = false
      rest = rest.subarray(piece.length)
      if (offset + piece.length === segmentSize) await this.#completeSegment()
    }
  }

  async #openSegment(): Promise<FileHandle> {
    this.#path = join(this.#folder, segmentName(this.#timeline, this.position))
    const handle = await open(`${this.#path}${partial}`, 'w', 0o600)
    await handle.truncate(segmentSize)
    return handle
  }

  async #completeSegment(): Promise<void> {
    await this.flush()
    await this.close()
    await rename(`${this.#path}${partial}`, this.#path)
  }

  async flush(): Promise<void> {
    if (!this.isFlushed) await this.#handle?.datasync()
    this.isFlushed = true
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = undefined
  }
}
