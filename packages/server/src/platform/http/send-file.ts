import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FileStore } from '../files/file-store.ts'
import { ApiError } from './api-error.ts'
import { rangeOf } from './range.ts'

/** Sends a stored file or the requested range of it. With an `etag`, a client that has it cached gets 304. */
export async function sendFile(
  reply: FastifyReply,
  files: FileStore,
  path: string,
  headers: Record<string, string>,
): Promise<FastifyReply> {
  const file = await files.open(path)
  if (!file) throw new NoSuchFile()
  const { request } = reply
  const isKnown = hasTag(request.headers['if-none-match'], headers.etag)
  const range = isKnown ? undefined : rangeOf(rangeHeader(request, headers.etag), file.size)
  const isRead = !isKnown && range !== null && request.method !== 'HEAD' && file.size > 0
  if (!isRead) await file.close()
  if (range === null) throw new NoSuchRange(file.size)
  reply.headers({ ...headers, 'accept-ranges': 'bytes' })
  if (isKnown) return reply.code(304).send()
  const { start, end } = range ?? { start: 0, end: file.size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`)
  // The framework would overwrite the length of anything that is not a stream.
  return reply
    .header('content-length', String(end - start + 1))
    .send(isRead ? file.read({ start, end }) : Readable.from([]))
}

/** A range of another version would not match what the client already has. */
function rangeHeader({ headers }: FastifyRequest, etag: string | undefined): string | undefined {
  return headers['if-range'] === undefined || headers['if-range'] === etag ? headers.range : undefined
}

function hasTag(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return false
  return header.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}

export class NoSuchFile extends ApiError {
  constructor() {
    super('This URL does not exist.', 'NOT_FOUND')
  }
}

class NoSuchRange extends ApiError {
  constructor(size: number) {
    super('The file has no such part.', 'BAD_REQUEST', { status: 416, headers: { 'content-range': `bytes */${size}` } })
  }
}

/** For files whose URL always returns the same content. */
export const cachedForEver = { 'cache-control': 'public, max-age=31536000, immutable' }
