import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { numberIn, textIn } from '../backup/tar-reader.ts'
import { openTemporary } from '../files/temporary.ts'
import { digestOf } from './digest.ts'
import { type Archive, BadArchive, checkEntryCount, checkRatio } from './foreign-archive.ts'

const blockSize = 512
const pieceBytes = 64 * 1024
const longestName = 64 * 1024

interface Extent {
  start: number
  size: number
}

/** Opens a .tar.gz. It is unpacked into one unnamed temporary file, which disappears with the process. */
export async function openTarGz(path: string, folder: string): Promise<Archive> {
  const packed = await open(path, 'r')
  const plain = await openTemporary(folder)
  try {
    const digest = await digestOf(packed.createReadStream({ autoClose: false }))
    await unpack(packed, plain)
    const places = await readPlaces(plain)
    return {
      digest,
      find: async (name) => {
        const place = places.get(name)
        return place && { size: place.size, stream: () => streamOf(plain, place) }
      },
      names: async () => [...places.keys()],
      verify: async () => {}, // gzip has checked everything
      close: () => plain.close(),
    }
  } catch (error) {
    await plain.close()
    throw error instanceof BadArchive ? error : new BadArchive(`The archive is damaged: ${(error as Error).message}`)
  } finally {
    await packed.close()
  }
}

async function unpack(packed: FileHandle, plain: FileHandle): Promise<void> {
  const { size } = await packed.stat()
  let written = 0
  for await (const chunk of packed.createReadStream({ start: 0, autoClose: false }).pipe(createGunzip())) {
    written += chunk.length
    checkRatio(size, written, 'The archive')
    await plain.write(chunk)
  }
}

function streamOf(plain: FileHandle, place: Extent): Readable {
  return Readable.from(piecesOf(plain, place), { objectMode: false })
}

/** Reads at places: streams of the same file would share its position, and close it. */
async function* piecesOf(plain: FileHandle, { start, size }: Extent): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; done += pieceBytes)
    yield await bytesAt(plain, start + done, Math.min(pieceBytes, size - done))
}

async function readPlaces(plain: FileHandle): Promise<Map<string, Extent>> {
  const { size: total } = await plain.stat()
  const places = new Map<string, Extent>()
  let longName: string | undefined
  for (let at = 0; ; ) {
    const header = await bytesAt(plain, at, blockSize)
    if (header.every((byte) => byte === 0)) return places
    const { name, size, type } = headerOf(header)
    const start = at + blockSize
    if (start + size > total) throw new BadArchive('The archive is cut off.')
    at = start + Math.ceil(size / blockSize) * blockSize
    if (type === 'L' || type === 'x') longName = await longNameIn(plain, { start, size }, type)
    else if (type === '0' || type === '\0') {
      addPlace(places, longName ?? name, { start, size })
      longName = undefined
    } else if (type === '5' || type === 'g') longName = undefined
    else throw new BadArchive(`${longName ?? name} is a link or a device.`)
  }
}

function addPlace(places: Map<string, Extent>, path: string, place: Extent): void {
  const name = path.replace(/^(\.\/)+/, '')
  if (name.startsWith('/') || name.split('/').includes('..')) throw new BadArchive(`${name} leads out of the archive.`)
  if (places.has(name)) throw new BadArchive(`${name} is in the archive twice.`)
  checkEntryCount(places.size + 1)
  places.set(name, place)
}

function headerOf(header: Buffer): { name: string; size: number; type: string } {
  const size = numberIn(header, 124, 12)
  const sum = numberIn(header, 148, 8)
  const actual = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0)
  if (sum !== actual || !Number.isSafeInteger(size) || size < 0) throw new BadArchive('The archive is damaged.')
  const prefix = header.toString('latin1', 257, 262) === 'ustar' && header[263] === 48 ? textIn(header, 345, 155) : ''
  const name = textIn(header, 0, 100)
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, type: String.fromCharCode(header[156]!) }
}

/** GNU writes a long name as content, POSIX as one of several records `LENGTH path=NAME`. */
async function longNameIn(plain: FileHandle, { start, size }: Extent, type: 'L' | 'x'): Promise<string | undefined> {
  if (size > longestName) throw new BadArchive('The archive has a name that is too long.')
  const text = (await bytesAt(plain, start, size)).toString()
  return type === 'L' ? text.replace(/\0.*$/s, '') : /^\d+ path=(.*)$/m.exec(text)?.[1]
}

async function bytesAt(plain: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await plain.read(Buffer.alloc(length), 0, length, start)
  if (bytesRead < length) throw new BadArchive('The archive is cut off.')
  return buffer
}
