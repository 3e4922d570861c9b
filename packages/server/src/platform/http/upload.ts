import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { openTemporary } from '../files/temporary.ts'
import { ApiError } from './api-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    upload: Upload | undefined
  }
  interface FastifyContextConfig {
    /** The operation's name, for the metrics. */
    operation?: string
    /** Maximum size in bytes of the one file that the route takes; absent: it takes none. */
    fileLimit?: number | undefined
  }
}

/** The file that came with a request. It is stored on disk and deleted once the request is answered. */
export class Upload {
  readonly filename: string
  readonly contentType: string
  readonly size: number
  readonly #handle: FileHandle

  constructor(handle: FileHandle, size: number, filename: string, contentType: string) {
    this.#handle = handle
    this.size = size
    this.filename = filename
    this.contentType = contentType
  }

  stream(): Readable {
    return this.size === 0 ? Readable.from([]) : this.#handle.createReadStream({ start: 0, autoClose: false })
  }

  async bytes(length = this.size): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, 0)
    return buffer.subarray(0, bytesRead)
  }

  async drop(): Promise<void> {
    await this.#handle.close()
  }
}

/** Writes a file to disk while it arrives. */
export async function receiveFile(stream: Readable, filename: string, contentType: string): Promise<Upload> {
  const handle = await openTemporary()
  try {
    await handle.writeFile(stream)
    return new Upload(handle, (await handle.stat()).size, filename, contentType)
  } catch (error) {
    await handle.close()
    throw error
  }
}

export class FileTooLarge extends ApiError {
  constructor(limit: number) {
    super(`Uploaded file is larger than the allowed limit of ${limit / 1024 / 1024} MiB`)
  }
}

/** The file of an operation that requires one. */
export function uploadOf({ upload }: FastifyRequest): Upload {
  if (!upload) throw new ApiError('You must upload exactly one file.')
  return upload
}

export async function dropUpload(request: FastifyRequest): Promise<void> {
  const { upload } = request
  request.upload = undefined
  await upload?.drop()
}
