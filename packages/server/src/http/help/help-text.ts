import { escapeHtml } from '../../platform/html.ts'
import { pageNames } from './help-pages.ts'

/** Code, links and emphasis in a line of `docs`. Links to pages that are not shown are only text. */
export function inlineHtml(text: string): string {
  const parts = text.split(/(``(?:[^`]|`(?!`))+``|`[^`]+`)/)
  return parts.map((part, index) => (index % 2 === 1 ? code(part) : styled(part))).join('')
}

function code(part: string): string {
  const text = part.startsWith('``') ? part.slice(2, -2).trim() : part.slice(1, -1)
  return `<code>${escapeHtml(text)}</code>`
}

function styled(text: string): string {
  return escapeHtml(text)
    .replace(/!\[([^[\]]*)\]\(([^()]*)\)/g, (_, about: string, path: string) => image(about, path))
    .replace(/\[([^[\]]*)\]\(([^()]*)\)/g, (_, label: string, target: string) => link(label, target))
    .replace(/&lt;(https?:[^&\s]*)&gt;/g, '<a href="$1">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>')
}

function image(about: string, path: string): string {
  return `<img src="/help/${path}" alt="${about}">`
}

function link(label: string, target: string): string {
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  if (pageNames.has(name)) return `<a href="/help/${name}${anchor}">${label}</a>`
  return /^(https?:|#)/.test(target) ? `<a href="${target}">${label}</a>` : label
}

/** As GitHub writes the anchors of headings. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
