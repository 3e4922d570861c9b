import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { docsPage } from './docs-page.ts'
import { openApiDocument } from './openapi.ts'
import { pagePolicy } from './platform/http/server.ts'
import type { App } from './serve.ts'

const styles = fileURLToPath(new URL('../public/docs/docs.css', import.meta.url))
const page = '/api/v1/docs'

/** The contract, for programs and for people. Nothing in it is secret, and nothing comes from another server. */
export function docsRoutes({ server }: App): void {
  serveText(server, '/api/v1/openapi.json', 'application/json; charset=utf-8', async () =>
    JSON.stringify(openApiDocument()),
  )
  serveText(server, page, 'text/html; charset=utf-8', async () => docsPage(openApiDocument()))
  serveText(server, `${page}/docs.css`, 'text/css; charset=utf-8', () => readFile(styles))
  for (const url of ['/docs', '/docs/', `${page}/`]) server.get(url, (_request, reply) => reply.redirect(page, 302))
}

interface Stored {
  body: Buffer
  etag: string
}

/** Something that stays the same while the server runs: made when first asked for, then only compared. */
function serveText(server: FastifyInstance, url: string, type: string, make: () => Promise<string | Buffer>): void {
  let stored: Promise<Stored> | undefined
  server.get(url, async (request, reply) => {
    stored ??= make().then(store)
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
