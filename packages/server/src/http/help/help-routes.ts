import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeHtml } from '../../platform/html.ts'
import { docsFolder } from '../../platform/installation.ts'
import type { App } from '../serving/serve.ts'
import { serveStatic } from '../serving/serve-static.ts'
import { helpHtml } from './help-html.ts'
import { helpPages, pageNames } from './help-pages.ts'

const [start] = pageNames

/** The documents of the project, readable where Parley runs. They are the same for everyone. */
export function helpRoutes(app: App): void {
  for (const url of ['/help', '/help/']) app.server.get(url, (_request, reply) => reply.redirect(`/help/${start}`, 302))
  for (const name of pageNames) serveStatic(app, `/help/${name}`, 'text/html; charset=utf-8', () => page(name))
  for (const image of readdirSync(join(docsFolder, 'images')))
    serveStatic(app, `/help/images/${image}`, 'image/png', () => readFile(join(docsFolder, 'images', image)))
}

async function page(name: string): Promise<string> {
  const text = await read(name)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(titleOf(text))} · Parley</title>
<link rel="stylesheet" href="/api/v1/docs/docs.css">
</head>
<body class="help">
<nav aria-label="Help">${await menu(name)}</nav>
<main>${helpHtml(text)}</main>
</body>
</html>
`
}

function read(name: string): Promise<string> {
  return readFile(join(docsFolder, `${name}.md`), 'utf8')
}

function titleOf(text: string): string {
  return text.slice(2, text.indexOf('\n'))
}

async function menu(shown: string): Promise<string> {
  const parts = Object.entries(helpPages).map(async ([title, names]) => {
    const items = await Promise.all(names.map((name) => menuItem(name, name === shown)))
    return `<b>${title}</b><ul>${items.join('')}</ul>`
  })
  return (await Promise.all(parts)).join('')
}

async function menuItem(name: string, isShown: boolean): Promise<string> {
  const current = isShown ? ' aria-current="page"' : ''
  return `<li><a href="/help/${name}"${current}>${escapeHtml(titleOf(await read(name)))}</a></li>`
}
