import type { FastifyReply } from 'fastify'
import type { FileStore } from '../files/store.ts'
import { ApiError } from './api-error.ts'

/** Answers with a stored file. */
export async function sendFile(
  reply: FastifyReply,
  files: FileStore,
  path: string,
  headers: Record<string, string>,
): Promise<FastifyReply> {
  const file = await files.open(path)
  if (!file) throw new NoSuchFile()
  reply.headers({ ...headers, 'content-length': String(file.size) })
  if (reply.request.method !== 'HEAD' && file.size > 0) return reply.send(file.read())
  await file.close()
  return reply.send('')
}

export class NoSuchFile extends ApiError {
  constructor() {
    super('There is nothing at this address.', 'NOT_FOUND')
  }
}

/** For files whose address never means anything else. */
export const cachedForEver = { 'cache-control': 'public, max-age=31536000, immutable' }
