import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { elementOf, type S3Client } from './client.ts'

/** S3 allows 10,000 parts of an object, so 156 GiB in total. Up to two parts are in memory. */
const partSize = 16 * 1024 * 1024

/** Stores content whose size is not known in advance. */
export async function putParts(client: S3Client, key: string, content: Readable): Promise<number> {
  const parts = partsOf(content)
  try {
    const first = (await parts.next()).value ?? Buffer.alloc(0)
    if (first.length >= partSize) return await startParts(client, key, first, parts)
    await (await client.send('PUT', key, { body: first })).body.dump()
    return first.length
  } finally {
    await parts.return(undefined) // after a failure this destroys the stream, so that its producer ends too
  }
}

async function startParts(client: S3Client, key: string, first: Buffer, rest: AsyncGenerator<Buffer>): Promise<number> {
  const started = await text((await client.send('POST', key, { query: { uploads: '' } })).body)
  const uploadId = elementOf(started, 'UploadId')!
  try {
    return await sendParts(client, key, uploadId, first, rest)
  } catch (error) {
    const abandoned = await client.send('DELETE', key, { query: { uploadId } }).catch(() => undefined)
    await abandoned?.body.dump()
    throw error
  }
}

async function sendParts(
  client: S3Client,
  key: string,
  uploadId: string,
  first: Buffer,
  rest: AsyncGenerator<Buffer>,
): Promise<number> {
  const tags: string[] = []
  let size = 0
  for (let body: Buffer | undefined = first; body; body = (await rest.next()).value) {
    const query = { uploadId, partNumber: String(tags.length + 1) }
    const { headers, body: answer } = await client.send('PUT', key, { query, body })
    await answer.dump()
    tags.push(String(headers.etag))
    size += body.length
  }
  await complete(client, key, uploadId, tags)
  return size
}

/** The service may report a failure in a response with status 200, because it begins to answer before it is done. */
async function complete(client: S3Client, key: string, uploadId: string, tags: string[]): Promise<void> {
  const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
  const answer = await text((await client.send('POST', key, { query: { uploadId }, body })).body)
  if (elementOf(answer, 'ETag') === undefined)
    throw new Error(`the file storage could not join the parts: ${elementOf(answer, 'Code')}`)
}

/** The content in pieces of exactly `partSize`; only the last one is smaller. */
async function* partsOf(content: Readable): AsyncGenerator<Buffer, undefined> {
  let chunks: Buffer[] = []
  let length = 0
  for await (const chunk of content as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length < partSize) continue
    const all = Buffer.concat(chunks)
    yield all.subarray(0, partSize)
    chunks = [all.subarray(partSize)]
    length = all.length - partSize
  }
  if (length > 0) yield Buffer.concat(chunks)
}
