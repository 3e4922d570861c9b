import { lookup } from '@parley/api/lookup'
import { trusted } from '../platform/trusted-types.ts'
import { withoutStyles } from './sanitize.ts'

/** Elements whose meaning the text alone would lose. */
const meaningful = 'a[href], b, strong, em, i, del, s, code, pre, li, blockquote, h1, h2, h3, h4, h5, h6, table'

/** The markup for HTML that was copied elsewhere, or undefined if it says no more than its text. */
export function markupOfHtml(html: string): string | undefined {
  const { body } = new DOMParser().parseFromString(trusted.createHTML(withoutStyles(html)), 'text/html')
  for (const one of body.querySelectorAll('style, script, meta, title')) one.remove()
  return body.querySelector(meaningful) ? markupOf(body) : undefined
}

/** The markup for elements of a page, such as those of a message. */
export function markupOf(node: Node): string {
  return inside(node)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const marks = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['em', '*'],
  ['i', '*'],
  ['del', '~~'],
  ['s', '~~'],
])

const blocks = new Set(['p', 'div', 'ul', 'ol', 'table', 'section', 'article'])
const unseen = '.code-tools, .marks, button, audio, video, .hidden, [hidden]'

function inside(node: Node): string {
  return [...node.childNodes].map(partOf).join('')
}

function partOf(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent!.replace(/\s+/g, ' ')
  if (!(node instanceof Element) || node.matches(unseen)) return ''
  const name = node.localName
  if (node.matches('.katex-display, .katex')) return formula(node)
  if (/^h[1-6]$/.test(name)) return `\n\n${'#'.repeat(Number(name[1]))} ${inside(node).trim()}\n\n`
  const mark = marks.get(name)
  if (mark) return marked(inside(node), mark)
  const special = lookup(specials, name)
  if (special) return special(node)
  return blocks.has(name) ? `\n\n${inside(node).trim()}\n\n` : inside(node)
}

/** Marks stand next to the words that they mark. */
function marked(text: string, mark: string): string {
  const words = text.trim()
  return words === '' ? text : text.replace(words, () => `${mark}${words}${mark}`)
}

function formula(node: Element): string {
  const source = node.querySelector('annotation')?.textContent ?? node.textContent
  return node.matches('.katex-display') ? `\n\n\`\`\`math\n${source}\n\`\`\`\n\n` : `$$${source}$$`
}

const specials: Record<string, (node: Element) => string> = {
  br: () => '\n',
  hr: () => '\n\n---\n\n',
  img: (node) => node.getAttribute('alt') ?? '',
  a: link,
  input: (node) => ((node as HTMLInputElement).checked ? '[x] ' : '[ ] '),
  code: (node) => `\`${node.textContent}\``,
  pre: (node) => {
    const language = node.closest('[data-code-language]')?.getAttribute('data-code-language')?.toLowerCase() ?? ''
    return `\n\n\`\`\`${language}\n${node.textContent.replace(/\n$/, '')}\n\`\`\`\n\n`
  },
  blockquote: (node) => `\n\n${markupOf(node).replace(/^/gm, '> ')}\n\n`,
  li: (node) => {
    const items = [...(node.parentElement?.children ?? [])]
    const sign = node.parentElement?.localName === 'ol' ? `${items.indexOf(node) + 1}.` : '*'
    return `\n${sign} ${markupOf(node).replace(/\n+/g, '\n  ')}`
  },
  tr: (node) => {
    const cells = [...node.children].map((cell) => markupOf(cell).replace(/\n+/g, ' '))
    const row = `\n| ${cells.join(' | ')} |`
    return node.querySelector('th') ? `${row}\n|${' --- |'.repeat(cells.length)}` : row
  },
}

function link(node: Element): string {
  const text = inside(node).trim()
  const { href } = node as HTMLAnchorElement
  if (!/^https?:/.test(href) || text === '') return text
  return text === href || text === node.getAttribute('href') ? href : `[${text}](${href})`
}
