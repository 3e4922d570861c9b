import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publicFolder } from '../../platform/installation.ts'
import type { App } from '../serving/serve.ts'
import { serveStatic } from '../serving/serve-static.ts'
import { docsPage } from './docs-page.ts'
import { openApiDocument } from './openapi.ts'

const page = '/api/v1/docs'

/**
 * Serves the API contract as OpenAPI document and as HTML page. It contains no secrets and loads nothing from other
 * servers.
 */
export function docsRoutes(app: App): void {
  serveStatic(app, '/api/v1/openapi.json', 'application/json; charset=utf-8', async () =>
    JSON.stringify(openApiDocument()),
  )
  serveStatic(app, page, 'text/html; charset=utf-8', async () => docsPage(openApiDocument()))
  serveStatic(app, `${page}/docs.css`, 'text/css; charset=utf-8', () => readFile(join(publicFolder, 'docs/docs.css')))
  for (const url of ['/docs', '/docs/', `${page}/`]) app.server.get(url, (_request, reply) => reply.redirect(page, 302))
}
