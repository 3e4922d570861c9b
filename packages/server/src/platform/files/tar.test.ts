import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { extract } from 'tar-stream'
import { type Member, tarArchive } from './tar.ts'

function member(name: string, content: string): Member {
  const bytes = Buffer.from(content)
  return { name, size: bytes.length, read: () => Readable.from([bytes.subarray(0, 5), bytes.subarray(5)]) }
}

async function bytesOf(members: Member[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(tarArchive(members)))
}

async function unpack(archive: Buffer): Promise<[string, string][]> {
  const entries: [string, string][] = []
  for await (const entry of Readable.from([archive]).pipe(extract()))
    entries.push([entry.header.name, Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Buffer>)).toString()])
  return entries
}

const names = ['a', 'x'.repeat(100), `folder/${'y'.repeat(150)}.txt`, 'grüße/写真.png', 'z'.repeat(991)]

test('an independent reader finds every name and content, whatever their length', async () => {
  const contents = ['', 'one', 'x'.repeat(511), 'x'.repeat(512), 'x'.repeat(10_000)]
  const expected = names.map((name, at): [string, string] => [name, contents[at]!])
  assert.deepEqual(await unpack(await bytesOf(expected.map(([name, content]) => member(name, content)))), expected)
})

test('the tar program of the system reads the archive without complaint', async () => {
  const archive = await bytesOf(names.slice(0, 3).map((name) => member(name, 'content')))
  const listed = execFileSync('tar', ['-tf', '-'], { input: archive, encoding: 'utf8' })
  assert.deepEqual(listed.trim().split('\n'), names.slice(0, 3))
})

test('the header of a file over 8 GiB contains the full size', async () => {
  const size = 9 * 1024 ** 3
  const blocks = tarArchive([{ name: 'large', size, read: () => Readable.from([]) }])
  const [, extended] = [(await blocks.next()).value, (await blocks.next()).value]
  assert.equal(String(extended), `19 size=${size}\n`)
})

test('content that is shorter or longer than the declared size ends the archive with an error', async () => {
  for (const size of [2, 8]) await assert.rejects(bytesOf([{ ...member('cut', 'four'), size }]), /cut has 4 bytes/)
})
