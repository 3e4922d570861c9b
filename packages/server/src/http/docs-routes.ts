import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pagePolicy } from '../platform/http/security-headers.ts'
import { authorizeOpenFiles } from './authorize.ts'
import { docsPage } from './docs-page.ts'
import { openApiDocument } from './openapi.ts'
import type { App } from './serve.ts'

const styles = fileURLToPath(new URL('../../public/docs/docs.css', import.meta.url))
const page = '/api/v1/docs'

/**
 * Serves the API contract as OpenAPI document and as HTML page. It contains no secrets and loads nothing from other
 * servers.
 */
export function docsRoutes(app: App): void {
  serveText(app, '/api/v1/openapi.json', 'application/json; charset=utf-8', async () =>
    JSON.stringify(openApiDocument()),
  )
  serveText(app, page, 'text/html; charset=utf-8', async () => docsPage(openApiDocument()))
  serveText(app, `${page}/docs.css`, 'text/css; charset=utf-8', () => readFile(styles))
  for (const url of ['/docs', '/docs/', `${page}/`]) app.server.get(url, (_request, reply) => reply.redirect(page, 302))
}

interface Stored {
  body: Buffer
  etag: string
}

/** Content that never changes while the server runs: rendered on first request, then cached with an ETag. */
function serveText(app: App, url: string, type: string, make: () => Promise<string | Buffer>): void {
  let stored: Promise<Stored> | undefined
  app.server.get(url, { onRequest: authorizeOpenFiles(app) }, async (request, reply) => {
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
