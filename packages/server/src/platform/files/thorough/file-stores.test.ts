import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { s3Credentials, startS3Server } from '../../../testing/peers/s3-server.ts'
import { copyFiles } from '../../backup/backup-folder.ts'
import { ApiError } from '../../http/api-error.ts'
import { tempFolder } from '../../postgres/test-support.ts'
import type { FileStore } from '../file-store.ts'
import { LocalFiles } from '../local.ts'
import { parseFilesUrl } from '../s3/location.ts'
import { S3Files } from '../s3/s3-files.ts'

let server: Awaited<ReturnType<typeof startS3Server>>
before(async () => {
  server = await startS3Server()
})
after(() => server.stop())

/** For stores that are broken on purpose. */
const impatient = { connect: 500, silence: 500 }

function s3(filesUrl: string, credentials = s3Credentials, timeouts?: typeof impatient): S3Files {
  return new S3Files(parseFilesUrl(filesUrl, credentials), () => {}, timeouts)
}

let stores = 0
const kinds: Record<string, (t: Parameters<typeof tempFolder>[0]) => FileStore> = {
  local: (t) => new LocalFiles(tempFolder(t)),
  s3: () => s3(server.filesUrl.replace('/test', `/store-${stores++}`)),
}

for (const [name, open] of Object.entries(kinds)) {
  test(`${name}: a stored file is read as a whole or in part, replaced, listed and deleted`, async (t) => {
    const files = open(t)
    assert.equal(await files.put('uploads/1/a', Buffer.from('first')), 5)
    assert.equal(await files.put('uploads/1/a', Readable.from([Buffer.from('0123'), Buffer.from('456789')]), 10), 10)
    const file = (await files.open('uploads/1/a'))!
    assert.equal(file.size, 10)
    assert.equal(String(await buffer(file.read())), '0123456789')
    assert.equal(String(await buffer((await files.open('uploads/1/a'))!.read({ start: 3, end: 5 }))), '345')
    assert.deepEqual(await Array.fromAsync(files.list()), [{ path: 'uploads/1/a', size: 10 }])
    await files.delete('uploads/1/a')
    await files.delete('uploads/1/a')
    assert.equal(await files.open('uploads/1/a'), undefined)
  })

  test(`${name}: an empty file and one of unknown, large size are stored whole`, async (t) => {
    const files = open(t)
    assert.equal(await files.put('empty', Readable.from([]), 0), 0)
    assert.equal((await files.open('empty'))!.size, 0)
    const chunks = Array.from({ length: 40 }, () => randomBytes(1_000_000))
    assert.equal(await files.put('large', Readable.from(chunks)), 40_000_000)
    const hash = createHash('sha256')
    for await (const chunk of (await files.open('large'))!.read()) hash.update(chunk as Buffer)
    assert.equal(hash.digest('hex'), createHash('sha256').update(Buffer.concat(chunks)).digest('hex'))
  })

  test(`${name}: a source that fails leaves no file`, async (t) => {
    const files = open(t)
    const failing = (length: number) =>
      Readable.from(
        (async function* () {
          yield randomBytes(length)
          throw new Error('source failed')
        })(),
      )
    await assert.rejects(files.put('a', failing(10)))
    await assert.rejects(files.put('b', failing(20_000_000)))
    assert.deepEqual(await Array.fromAsync(files.list()), [])
  })

  test(`${name}: a path cannot leave the store`, async (t) => {
    for (const path of ['../secret.key', 'a//b', '/a', 'a/./b', 'a?b'])
      await assert.rejects(async () => open(t).open(path))
  })
}

test('s3: a list of several pages is complete', async () => {
  const files = s3(server.filesUrl.replace('/test', '/pages'))
  const paths = Array.from({ length: 1010 }, (_, index) => `many/${index}`)
  for (let at = 0; at < paths.length; at += 20)
    await Promise.all(paths.slice(at, at + 20).map((path) => files.put(path, Buffer.from('x'))))
  const listed = (await Array.fromAsync(files.list())).map(({ path }) => path)
  assert.deepEqual(listed.sort(), paths.sort())
})

test('s3: the start says what to change if bucket, credentials or endpoint are wrong', async () => {
  await s3(server.filesUrl).prepare()
  assert.deepEqual(await Array.fromAsync(s3(server.filesUrl).list()), [], 'the trial file is gone')
  await assert.rejects(
    s3(server.filesUrl.replace('parley', 'other')).prepare(),
    /other cannot be used.*create the bucket/,
  )
  const wrong = s3(server.filesUrl, { ...s3Credentials, AWS_SECRET_ACCESS_KEY: 'wrong' })
  await assert.rejects(wrong.prepare(), /403 SignatureDoesNotMatch, so check AWS_ACCESS_KEY_ID/)
  await assert.rejects(s3('s3://parley?endpoint=http://127.0.0.1:1').prepare(), /ECONNREFUSED.*check the endpoint/)
})

/** A store that accepts connections and treats them with `react`. */
async function brokenStore(
  t: { after(f: () => void): void },
  react: (socket: Socket) => void,
  timeouts = impatient,
): Promise<S3Files> {
  const sockets = new Set<Socket>()
  const broken = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    react(socket)
  }).listen(0, '127.0.0.1')
  await once(broken, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    broken.close()
  })
  return s3(`s3://parley?endpoint=http://127.0.0.1:${(broken.address() as AddressInfo).port}`, s3Credentials, timeouts)
}

const isUnavailable = (error: unknown) => error instanceof ApiError && error.status === 503

test('s3: a store that refuses, hangs up or stays silent gives 503, and nothing hangs', async (t) => {
  const refused = s3('s3://parley?endpoint=http://127.0.0.1:1')
  const gone = await brokenStore(t, (socket) => socket.destroy())
  const silent = await brokenStore(t, () => {})
  for (const files of [refused, gone, silent]) {
    await assert.rejects(files.open('a'), isUnavailable)
    await assert.rejects(files.put('a', Buffer.from('a')), isUnavailable)
    await assert.rejects(files.put('a', Readable.from([Buffer.alloc(5_000_000)]), 5_000_000), isUnavailable)
    await assert.rejects(files.put('a', Readable.from([Buffer.alloc(20_000_000)])), isUnavailable)
    await assert.rejects(files.delete('a'), isUnavailable)
    await assert.rejects(files.checkWritable())
  }
})

test('s3: the check for the health check is short, because load balancers wait for it', async (t) => {
  const silent = await brokenStore(t, () => {}, { connect: 60_000, silence: 60_000 })
  await assert.rejects(silent.checkWritable(), /does not answer/)
})

test('files are copied to a bucket and back, each only once', async (t) => {
  const [local, bucket, again] = [kinds.local!(t), kinds.s3!(t), kinds.local!(t)]
  await local.put('uploads/1/a', Buffer.from('content'))
  await local.put('uploads/1/empty', Buffer.alloc(0))
  assert.deepEqual([await copyFiles(local, bucket), await copyFiles(local, bucket)], [2, 0])
  assert.equal(await copyFiles(bucket, again), 2)
  assert.equal(String(await buffer((await again.open('uploads/1/a'))!.read())), 'content')
})

test('s3: a full store is reported like a full disk', async (t) => {
  const answer = 'HTTP/1.1 507 Insufficient Storage\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'
  const full = await brokenStore(t, (socket) => socket.on('data', () => socket.end(answer)))
  await assert.rejects(full.put('a', Buffer.from('a')), { code: 'INSUFFICIENT_STORAGE' })
})

test('s3: a download that breaks off ends with an error instead of a short file', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'
  const broken = await brokenStore(t, (socket) => {
    socket.on('data', (data) => {
      if (String(data).startsWith('HEAD')) socket.write(head)
      else socket.end(`${head}only the start`)
    })
  })
  await assert.rejects(buffer((await broken.open('a'))!.read()))
})
