import type { ArchiveFile } from '../../platform/archives/foreign-archive.ts'

/** The beginning of a file: enough to tell its type. */
export async function firstBytes(file: ArchiveFile, length: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of file.stream() as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    read += chunk.length
    if (read >= length) break
  }
  return Buffer.concat(chunks).subarray(0, length)
}
