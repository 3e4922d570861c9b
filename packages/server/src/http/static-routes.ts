import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { staticFiles } from '../identity/pages/layout.ts'
import { publicFolder } from '../platform/installation.ts'
import type { App } from './serving/serve.ts'
import { serveStatic } from './serving/serve-static.ts'

const types: Record<string, string> = {
  'pages.css': 'text/css; charset=utf-8',
  'open.css': 'text/css; charset=utf-8',
  'pages.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'icon-192.png': 'image/png',
  'icon-512.png': 'image/png',
  'icon-maskable-512.png': 'image/png',
  'inter-5.3.0.woff2': 'font/woff2',
}

/** The files that our pages load. */
export function staticRoutes(app: App): void {
  for (const [name, type] of Object.entries(types))
    serveStatic(app, `${staticFiles}/${name}`, type, () => readFile(join(publicFolder, 'pages', name)))
}
