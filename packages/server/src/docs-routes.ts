import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openApiDocument } from './openapi.ts'
import { pagePolicy } from './platform/http/server.ts'
import type { App } from './serve.ts'

const own = fileURLToPath(new URL('../public/docs/', import.meta.url))
const swaggerUi = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))

const page = '/api/v1/docs'

/** Everything the documentation page loads, by its place on the server. */
const files: Record<string, [path: string, type: string]> = {
  [page]: [join(own, 'index.html'), 'text/html; charset=utf-8'],
  [`${page}/start.js`]: [join(own, 'start.js'), 'text/javascript; charset=utf-8'],
  [`${page}/swagger-ui.css`]: [join(swaggerUi, 'swagger-ui.css'), 'text/css; charset=utf-8'],
  [`${page}/swagger-ui-bundle.js`]: [join(swaggerUi, 'swagger-ui-bundle.js'), 'text/javascript; charset=utf-8'],
  [`${page}/favicon-32x32.png`]: [join(swaggerUi, 'favicon-32x32.png'), 'image/png'],
}

/** The contract, for programs and for people. Nothing in it is secret, and nothing comes from elsewhere. */
export function docsRoutes({ server }: App): void {
  serveText(server, '/api/v1/openapi.json', 'application/json; charset=utf-8', async () =>
    JSON.stringify(openApiDocument()),
  )
  for (const [url, [path, type]] of Object.entries(files)) serveText(server, url, type, () => readFile(path))
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
