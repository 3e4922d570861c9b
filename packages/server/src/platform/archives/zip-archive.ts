import { open as openFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import * as yauzl from 'yauzl'
import { digestOf } from './digest.ts'
import { type Archive, BadArchive, checkEntryCount, checkRatio, lazily } from './foreign-archive.ts'

const [symbolicLink, typeBits] = [0o120000, 0o170000]

/** Opens a zip file. Refuses paths that lead out of it, links, names that occur twice, and bombs. */
export async function openZip(path: string): Promise<Archive> {
  const handle = await openFile(path, 'r')
  const digest = await digestOf(handle.createReadStream({ autoClose: false })).finally(() => handle.close())
  const zip = await yauzl
    .openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true })
    .catch(refused)
  try {
    const entries = await readEntries(zip)
    return {
      digest,
      find: async (name) => {
        const entry = entries.get(name)
        return entry && { size: entry.uncompressedSize, stream: () => lazily(() => streamOf(zip, entry)) }
      },
      names: async () => [...entries.keys()],
      verify: async () => {
        for (const entry of entries.values()) await checkContent(await streamOf(zip, entry), entry)
      },
      close: async () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function readEntries(zip: yauzl.ZipFile): Promise<Map<string, yauzl.Entry>> {
  checkEntryCount(zip.entryCount)
  const entries = new Map<string, yauzl.Entry>()
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue
      checkEntry(entry, entries)
      entries.set(entry.fileName, entry)
    }
  } catch (error) {
    return refused(error)
  }
  return entries
}

function checkEntry(entry: yauzl.Entry, known: Map<string, yauzl.Entry>): void {
  const { fileName, compressedSize, uncompressedSize, externalFileAttributes } = entry
  if (known.has(fileName)) throw new BadArchive(`${fileName} is in the archive twice.`)
  if (((externalFileAttributes >>> 16) & typeBits) === symbolicLink)
    throw new BadArchive(`${fileName} is a symbolic link.`)
  if (entry.isEncrypted()) throw new BadArchive(`${fileName} is encrypted.`)
  checkRatio(compressedSize, uncompressedSize, fileName)
}

function streamOf(zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<Readable> {
  return zip.openReadStreamPromise(entry).catch(refused)
}

/** The sizes are checked by yauzl. */
async function checkContent(content: Readable, { fileName, crc32: expected }: yauzl.Entry): Promise<void> {
  let sum = 0
  try {
    for await (const chunk of content) sum = crc32(chunk, sum)
  } catch (error) {
    refused(error)
  }
  if (sum !== expected) throw new BadArchive(`${fileName} is damaged: its checksum differs.`)
}

function refused(error: unknown): never {
  throw error instanceof BadArchive ? error : new BadArchive(`The zip file is damaged: ${(error as Error).message}`)
}
