import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Member } from '../../platform/files/tar.ts'

interface Sum {
  name: string
  size: number
  sha256: string
}

/** Adds `checksums.jsonl` as the last member: the size and SHA-256 of every other one. */
export async function* withChecksums(members: AsyncIterable<Member>): AsyncGenerator<Member> {
  const sums: Sum[] = []
  for await (const member of members) {
    const hash = createHash('sha256')
    const read = () => Readable.from(hashed(member, hash), { objectMode: false })
    yield { ...member, read }
    sums.push({ name: member.name, size: member.size, sha256: hash.digest('hex') })
  }
  yield bytesMember('checksums.jsonl', sums.map((sum) => `${JSON.stringify(sum)}\n`).join(''))
}

/** An empty member is never read, so its hash is that of nothing. */
async function* hashed(member: Member, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const chunk of member.read() as AsyncIterable<Buffer>) {
    hash.update(chunk)
    yield chunk
  }
}

export function bytesMember(name: string, content: string): Member {
  const bytes = Buffer.from(content)
  return { name, size: bytes.length, read: () => Readable.from([bytes], { objectMode: false }) }
}
