import { type Html, html } from '../../platform/html.ts'
import { openPath } from './open-paths.ts'

export interface OpenPage {
  /** The heading. */
  title: string
  organization: string
  iconUrl: string | undefined
  /** The one URL that search engines list, whatever the name in the URL was. */
  canonical: string
  /** What search engines show below the title. */
  description: string
  /** The way back: names and paths. */
  crumbs: (readonly [name: string, path: string])[]
  /** The hash that shows the same in the web client. */
  inClient: string
  content: Html
}

/** Where these pages may load from: only here, and no scripts at all. */
export const openPagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; media-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

export function renderOpenPage(page: OpenPage): string {
  const { title, organization, iconUrl, canonical, description, crumbs, content, inClient } = page
  const name = [title, organization].filter((part, index, all) => all.indexOf(part) === index).join(' · ')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<meta name="description" content="${description}">
<link rel="canonical" href="${canonical}">
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/pages.css">
<link rel="stylesheet" href="/static/open.css">
</head>
<body>
<header class="open-bar">
<a class="organization" href="${openPath}">${iconUrl !== undefined && html`<img src="${iconUrl}" alt="">`}${organization}</a>
<span><a class="button outline small" href="/${inClient}">Open in Parley</a>
<a class="button outline small" href="/login">Sign in</a></span>
</header>
<main class="open">
${crumbs.length > 0 && html`<nav class="crumbs" aria-label="You are in">${crumbs.map(([text, path]) => html`<a href="${path}">${text}</a>`)}</nav>`}
<h1>${title}</h1>
${content}
</main>
<footer class="open-footer">Everyone can read these channels. Sign in to write.</footer>
</body>
</html>
`.text
}
