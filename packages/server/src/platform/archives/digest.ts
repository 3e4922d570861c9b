import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

export async function digestOf(content: Readable): Promise<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of content) hash.update(chunk)
  return hash.digest()
}
