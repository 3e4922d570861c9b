import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pagePolicy } from '../../platform/http/security-headers.ts'
import { authorizeOpenFiles } from './authorize.ts'
import type { App } from './serve.ts'

interface Stored {
  body: Buffer
  etag: string
}

/** Content that never changes while the server runs: created on first request, then kept with an ETag. */
export function serveStatic(app: App, url: string, type: string, create: () => Promise<string | Buffer>): void {
  let stored: Promise<Stored> | undefined
  app.server.get(url, { onRequest: authorizeOpenFiles(app) }, async (request, reply) => {
    stored ??= create().then(store)
    if (type.startsWith('text/html')) reply.header('content-security-policy', pagePolicy)
    return answer(request, reply.type(type), await stored)
  })
}

function store(content: string | Buffer): Stored {
  const body = Buffer.from(content)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` }
}

function answer(request: FastifyRequest, reply: FastifyReply, { body, etag }: Stored): FastifyReply {
  reply.headers({ 'Cache-Control': 'no-cache', ETag: etag })
  return isSame(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(body)
}

function isSame(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) ?? false
}
