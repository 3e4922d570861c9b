import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { ApiError } from './api-error.ts'
import { FileTooLarge, receiveFile, type Upload } from './upload.ts'

type Fields = Record<string, string>

export interface FormLimits {
  /** Limit for everything except the file. */
  bytes: number
  fields: number
  /** Limit for the one file that the route takes; undefined: it takes none. */
  fileBytes: number | undefined
}

const maxParts = 200

/**
 * Reads a multipart form. The one file that a route may take becomes `request.upload`, whatever its field name; routes
 * that take no file ignore files.
 */
export async function parseMultipart(
  request: FastifyRequest,
  payload: NodeJS.ReadableStream,
  limits: FormLimits,
): Promise<Fields> {
  const files = new Files(limits.fileBytes)
  try {
    const fields = await readParts(parserOf(request, limits), payload, limits, files)
    request.upload = await files.received
    return fields
  } catch (error) {
    await files.abandon()
    throw error
  }
}

function parserOf({ headers }: FastifyRequest, { bytes, fields, fileBytes = 0 }: FormLimits): BusboyInstance {
  const limits = { fieldSize: bytes, fileSize: fileBytes, fields, parts: maxParts, headerPairs: 20 }
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits })
  } catch {
    throw new ApiError('Malformed multipart body.')
  }
}

/** The files of one form. */
class Files {
  readonly #limit: number | undefined
  #stream: Readable | undefined
  received: Promise<Upload | undefined> = Promise.resolve(undefined)

  constructor(limit: number | undefined) {
    this.#limit = limit
  }

  take(stream: Readable, filename: string, contentType: string, refuse: (error: Error) => void): void {
    const limit = this.#limit
    if (limit === undefined)
      stream.on('error', () => {}).resume() // the parser reports it too
    else if (this.#stream) refuse(new ApiError('You must upload exactly one file.'))
    else {
      this.#stream = stream
      stream.on('error', () => refuse(new ApiError('Malformed multipart body.')))
      stream.on('limit', () => refuse(new FileTooLarge(limit)))
      this.received = receiveFile(stream, filename, contentType)
      this.received.catch(refuse)
    }
  }

  async abandon(): Promise<void> {
    this.#stream?.destroy()
    const upload = await this.received.catch(() => undefined)
    await upload?.drop()
  }
}

function readParts(
  parser: BusboyInstance,
  payload: NodeJS.ReadableStream,
  { bytes, fields: maxFields, fileBytes = 0 }: FormLimits,
  files: Files,
): Promise<Fields> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>()
    const refuse = (error: Error) => {
      payload.unpipe(parser)
      payload.resume()
      reject(error)
    }
    let size = 0
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bytes + fileBytes) refuse(new ApiError('The request body is too large.', 'PAYLOAD_TOO_LARGE'))
    })
    parser.on('field', (name, value) => {
      fields.set(name, value)
    })
    parser.on('file', (_name, stream, filename, _encoding, contentType) =>
      files.take(stream, filename ?? '', contentType, refuse),
    )
    parser.on('fieldsLimit', () => refuse(new ApiError(`More than ${maxFields} parameters.`)))
    parser.on('partsLimit', () => refuse(new ApiError('Too many parts.')))
    // Clients send a form without fields as an empty body.
    parser.on('error', () =>
      size === 0 ? resolve(Object.fromEntries(fields)) : refuse(new ApiError('Malformed multipart body.')),
    )
    parser.on('finish', () => resolve(Object.fromEntries(fields)))
    payload.on('error', refuse)
    payload.pipe(parser)
  })
}
