import type { Readable } from 'node:stream'

export interface TarMember {
  name: string
  isFolder: boolean
  mode: number
  /** Must be read to its end before the next member. */
  content: AsyncIterable<Buffer>
}

const blockSize = 512

/** Reads the members of a tar archive of PostgreSQL, which contains plain files and folders with short names. */
export async function* tarMembers(archive: Readable): AsyncGenerator<TarMember> {
  const source = new Source(archive)
  for (;;) {
    const header = await source.take(blockSize)
    if (header === undefined || header.every((byte) => byte === 0)) break
    const size = numberIn(header, 124, 12)
    const type = String.fromCharCode(header[156]!)
    if (type !== '0' && type !== '\0' && type !== '5')
      throw new Error(`unexpected member of type ${type} in an archive`)
    yield { name: nameOf(header), isFolder: type === '5', mode: numberIn(header, 100, 8), content: source.read(size) }
    await source.take((blockSize - (size % blockSize)) % blockSize)
  }
  for await (const _rest of source.read(Number.POSITIVE_INFINITY)); // zero blocks at the end
}

function nameOf(header: Buffer): string {
  const [name, prefix] = [textIn(header, 0, 100), textIn(header, 345, 155)]
  return (prefix ? `${prefix}/${name}` : name).replace(/^\.\/|\/$/g, '')
}

export function textIn(header: Buffer, start: number, length: number): string {
  return header.toString('utf8', start, start + length).replace(/\0.*$/s, '')
}

/** Octal digits, or for large sizes a binary number, whose first bit is set. */
export function numberIn(header: Buffer, start: number, length: number): number {
  if (header[start]! & 0x80) return Number(header.readBigUInt64BE(start + length - 8))
  return Number.parseInt(textIn(header, start, length).trim() || '0', 8)
}

/** Cuts a stream into pieces of chosen lengths. */
class Source {
  readonly #chunks: AsyncIterator<Buffer>
  #rest = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** Up to `length` bytes; ends early only at the end of the stream. */
  async *read(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next()
        if (done) return
        this.#rest = value as Buffer<ArrayBuffer>
      }
      const piece = this.#rest.subarray(0, Math.min(left, this.#rest.length))
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  /** Exactly `length` bytes; undefined at the end of the stream. */
  async take(length: number): Promise<Buffer | undefined> {
    const bytes = Buffer.concat(await Array.fromAsync(this.read(length)))
    return bytes.length === length ? bytes : undefined
  }
}
