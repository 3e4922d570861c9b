import { createHash } from 'node:crypto'
import { type Archive, BadArchive } from '../../../platform/archives/foreign-archive.ts'
import { linesOf } from '../../../platform/archives/lines.ts'

const list = 'checksums.jsonl'

/** Reads everything once. A member that is missing or differs makes the export damaged. */
export async function checkSums(archive: Archive): Promise<void> {
  const file = await archive.find(list)
  if (!file) throw new BadArchive(`The export has no ${list}: it is cut off, or made by an old version.`)
  for await (const { text } of linesOf(file.stream())) {
    const { name, sha256 } = sumIn(text)
    const member = await archive.find(name)
    if (!member) throw new BadArchive(`${name} is missing in the export.`)
    const hash = createHash('sha256')
    for await (const chunk of member.stream() as AsyncIterable<Buffer>) hash.update(chunk)
    if (hash.digest('hex') !== sha256) throw new BadArchive(`${name} is damaged: its checksum differs.`)
  }
}

function sumIn(text: string | undefined): { name: string; sha256: string } {
  try {
    const { name, sha256 } = JSON.parse(text ?? '') as { name?: unknown; sha256?: unknown }
    if (typeof name === 'string' && typeof sha256 === 'string') return { name, sha256 }
  } catch {}
  throw new BadArchive(`${list} is damaged.`)
}
