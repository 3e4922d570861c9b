import type { Readable } from 'node:stream'

/** A file in an archive; its size must be known in advance. */
export interface Member {
  name: string
  size: number
  read(): Readable
}

const blockSize = 512
/** The largest size that eleven octal digits of a header can hold. */
const largestPlainSize = 0o77777777777

/** The bytes of a tar archive (POSIX.1-2001), streamed member by member. */
export async function* tarArchive(members: Iterable<Member> | AsyncIterable<Member>): AsyncGenerator<Buffer> {
  for await (const member of members) {
    yield* headersOf(member)
    yield* contentOf(member)
  }
  yield Buffer.alloc(2 * blockSize)
}

/** The size is already in the header, so content of another length would corrupt everything after it. */
async function* contentOf({ name, size, read }: Member): AsyncGenerator<Buffer> {
  let length = 0
  if (size > 0)
    for await (const piece of read() as AsyncIterable<Buffer>) {
      length += piece.length
      yield piece
    }
  if (length !== size) throw new Error(`${name} has ${length} bytes instead of ${size}`)
  yield padding(size)
}

/** Long names, non-ASCII names and large files need an extended header before the plain one. */
function* headersOf({ name, size }: Member): Generator<Buffer> {
  const extended = [
    ...(isPlainName(name) ? [] : [record('path', name)]),
    ...(size > largestPlainSize ? [record('size', String(size))] : []),
  ]
  if (extended.length > 0) {
    const content = Buffer.concat(extended)
    yield header('extended', content.length, 'x')
    yield content
    yield padding(content.length)
  }
  yield header(isPlainName(name) ? name : 'file', Math.min(size, largestPlainSize), '0')
}

function isPlainName(name: string): boolean {
  return /^[\x20-\x7e]{1,100}$/.test(name)
}

/** A line of an extended header begins with its own length. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`)
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

function header(name: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(blockSize)
  const modified = Math.floor(Date.now() / 1000)
  block.write(name, 0)
  block.write('0000644\0' + '0000000\0' + '0000000\0', 100) // mode, owner, group
  block.write(`${octal(size)} ${octal(modified)} `, 124)
  block.write(' '.repeat(8), 148) // the checksum field counts as spaces
  block.write(type, 156)
  block.write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function octal(value: number): string {
  return value.toString(8).padStart(11, '0')
}

function padding(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize)
}
