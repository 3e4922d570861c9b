import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { DiskFull, ServiceUnavailable } from '../../http/api-error.ts'
import { StartupError } from '../../postgres/startup-error.ts'
import { checkPath, type FileStore, type ListedFile, type StoredFile } from '../file-store.ts'
import { elementOf, elementsOf, S3Client, S3Refusal, type Timeouts } from './client.ts'
import type { S3Location } from './location.ts'
import { putParts } from './put-parts.ts'

/** Stores files in a bucket of a service that speaks the S3 protocol. */
export class S3Files implements FileStore {
  readonly #client: S3Client
  readonly #location: S3Location
  readonly #log: (message: string) => void

  constructor(location: S3Location, log: (message: string) => void, timeouts?: Timeouts) {
    this.#client = new S3Client(location, timeouts)
    this.#location = location
    this.#log = log
  }

  /** S3 shows an object only when it is complete and durable. Content of unknown size is sent in parts. */
  put(path: string, content: Readable | Buffer, size?: number): Promise<number> {
    const key = this.#keyOf(path)
    return this.#explained(async () => {
      if (!Buffer.isBuffer(content) && size === undefined) return putParts(this.#client, key, content)
      const body = Buffer.isBuffer(content) ? content : { stream: content, size: size! }
      await (await this.#client.send('PUT', key, { body })).body.dump()
      return size ?? (content as Buffer).length
    })
  }

  async open(path: string): Promise<StoredFile | undefined> {
    const key = this.#keyOf(path)
    const found = await this.#explained(() => this.#client.send('HEAD', key).catch(unlessMissing))
    if (!found) return undefined
    await found.body.dump()
    return {
      size: Number(found.headers['content-length']),
      read: (range) => Readable.from(this.#read(key, range), { objectMode: false }),
      close: async () => {},
    }
  }

  async *#read(key: string, range?: { start: number; end: number }): AsyncGenerator<Buffer> {
    const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {}
    const { body } = await this.#explained(() => this.#client.send('GET', key, { headers }))
    yield* body
  }

  /** S3 answers success for a missing object too. */
  async delete(path: string): Promise<void> {
    const key = this.#keyOf(path)
    const response = await this.#explained(() => this.#client.send('DELETE', key).catch(unlessMissing))
    await response?.body.dump()
  }

  async *list(): AsyncGenerator<ListedFile> {
    const { prefix } = this.#location
    for (let marker = '', isTruncated = true; isTruncated; ) {
      const query = { prefix, marker }
      const page = await this.#explained(async () => text((await this.#client.send('GET', '', { query })).body))
      for (const entry of elementsOf(page, 'Contents')) {
        marker = elementOf(entry, 'Key')!
        yield { path: marker.slice(prefix.length), size: Number(elementOf(entry, 'Size')) }
      }
      isTruncated = elementOf(page, 'IsTruncated') === 'true'
    }
  }

  /**
   * Asks for the bucket only: a trial file each time would fill a bucket that keeps old versions. Health checks wait for
   * the answer, and must not fail because the store is slow.
   */
  async checkWritable(): Promise<void> {
    const signal = AbortSignal.timeout(2000)
    const answer = await this.#client.send('HEAD', '', { signal }).catch((error: Error) => {
      throw signal.aborted ? new Error('the file storage does not answer') : error
    })
    await answer.body.dump()
  }

  async removeUnfinished(): Promise<void> {
    // A lifecycle rule of the bucket deletes the parts that a crash left (docs/files.md).
  }

  /** Writes, reads and deletes a trial file, because each needs a permission of its own. */
  async prepare(): Promise<void> {
    const key = `${this.#location.prefix}start-check-${randomUUID()}`
    try {
      for (const [method, body] of [['PUT', Buffer.from('trial')], ['GET'], ['DELETE']] as const)
        await (await this.#client.send(method, key, body ? { body } : {})).body.dump()
      await text((await this.#client.send('GET', '', { query: { 'max-keys': '1' } })).body)
    } catch (error) {
      const { setting, bucketUrl } = this.#location
      throw new StartupError(`${setting}: the bucket ${bucketUrl} cannot be used: ${adviceFor(error)}.`, {
        cause: error,
      })
    }
  }

  #keyOf(path: string): string {
    return `${this.#location.prefix}${checkPath(path)}`
  }

  /** Clients learn that it is temporary; the operator finds the reason in the log. */
  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#log(`The file storage failed: ${(error as Error).message || (error as { code?: string }).code}`)
      if (error instanceof S3Refusal && error.status === 507) throw new DiskFull()
      throw new ServiceUnavailable('The file storage cannot be used at the moment; try again in a moment.')
    }
  }
}

function unlessMissing(error: Error): undefined {
  if (!(error instanceof S3Refusal) || error.status !== 404) throw error
}

function adviceFor(error: unknown): string {
  if (!(error instanceof S3Refusal))
    return `it cannot be reached (${(error as { code?: string }).code ?? (error as Error).message}), so check the endpoint and that it is running`
  const reason = error.message
  if (error.status === 404) return `${reason}, so create the bucket or correct its name`
  if (error.status === 301 || error.status === 307 || error.status === 400)
    return `${reason}, so check the region and the endpoint`
  if (error.status === 403)
    return `${reason}, so check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that they may list, read, write and delete in it`
  return reason
}
