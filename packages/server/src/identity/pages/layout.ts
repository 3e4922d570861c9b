import { directionOf } from '@parley/api/match-language'
import { type Html, html, type Text } from '../../platform/html.ts'
import type { TextLanguage } from '../../platform/translations.ts'
import { icon } from './icons.ts'

/** What one of our own pages shows: a card with a heading, and what it contains. */
export interface Page {
  /** The heading, and the title of the window. */
  title: Text
  /** The organization that the page belongs to, for the title of the window. */
  organization?: string
  /** The line under the heading. */
  lead?: Text | Html
  content: Html
  /** Shown under the card. */
  footer?: Html
  /** The URL of the organization's icon; without one, the page shows ours. */
  iconUrl?: string | undefined
  /** The HTTP status, if not 200. */
  status?: number
}

/** Where `http/static-routes.ts` serves the files that pages use. */
export const staticFiles = '/static'

/** The whole document. Scripts only add convenience: every page works without them. */
export function renderPage(page: Page, { code, translate }: TextLanguage): string {
  const { title, organization, lead, content, footer, iconUrl } = page
  return html`<!doctype html>
<html lang="${code}" dir="${directionOf(code)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${title}${organization !== undefined && ` · ${organization}`}</title>
<link rel="icon" href="${staticFiles}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${staticFiles}/pages.css">
<script type="module" src="${staticFiles}/pages.js"></script>
</head>
<body>
<main>
<section class="card">
${iconUrl === undefined ? html`<span class="mark">${icon('waves', 'l')}</span>` : html`<img class="mark" src="${iconUrl}" alt="">`}
<h1>${title}</h1>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${content}
</section>
${footer}
</main>
</body>
</html>
`.in(translate)
}
