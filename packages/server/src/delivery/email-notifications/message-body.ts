import { escapeHtml } from '../../platform/html.ts'
import { parseHtml } from './html-tree.ts'
import { type Reading, type Simple, type SimpleElement, simplify } from './simplify.ts'

export interface Body {
  text: string
  html: string
}

/** A rendered message as text and as HTML for an email. */
export function messageBody(rendered: string, reading: Reading): Body {
  return bodyOf(simplify(parseHtml(rendered), reading))
}

export function bodyOf(nodes: Simple[]): Body {
  return { text: textOf(nodes), html: htmlOf(nodes) }
}

const withoutContent = new Set(['br', 'hr'])
const code = 'font-family: monospace; white-space: pre-wrap;'
const cell = 'border: 1px solid #8888; padding: 2px 8px;'
/** Many email programs ignore style sheets. The gray is readable on light and dark. */
const styles = new Map([
  ['pre', `${code} border-left: 3px solid #8888; padding-left: 12px;`],
  ['code', code],
  ['blockquote', 'border-left: 3px solid #8888; margin: 8px 0; padding-left: 12px;'],
  ['table', 'border-collapse: collapse;'],
  ['th', cell],
  ['td', cell],
])

function htmlOf(nodes: Simple[]): string {
  return nodes.map((node) => (typeof node === 'string' ? escapeHtml(node) : elementHtml(node))).join('')
}

function elementHtml({ name, href, start, children }: SimpleElement): string {
  const style = styles.get(name)
  const attributes = [
    ...(href === undefined ? [] : [` href="${escapeHtml(href)}"`]),
    ...(start === undefined ? [] : [` start="${start}"`]),
    ...(style === undefined ? [] : [` style="${style}"`]),
  ].join('')
  return withoutContent.has(name) ? `<${name}>` : `<${name}${attributes}>${htmlOf(children)}</${name}>`
}

const blocks = new Set('p hr blockquote pre h1 h2 h3 h4 h5 h6 ul ol li table thead tbody tr'.split(' '))

/** Blocks are separated by an empty line. */
function textOf(nodes: Simple[]): string {
  const written: string[] = []
  let line = ''
  const endLine = () => {
    const lines = line.split('\n').map((one) => one.trim())
    if (line.trim() !== '') written.push(lines.join('\n').trim())
    line = ''
  }
  for (const node of nodes) {
    if (typeof node === 'string' || !blocks.has(node.name)) line += inlineText(node)
    else {
      endLine()
      written.push(blockText(node))
    }
  }
  endLine()
  return written.filter((block) => block !== '').join('\n\n')
}

function inlineText(node: Simple): string {
  if (typeof node === 'string') return node.replace(/\s+/g, ' ')
  if (node.name === 'br') return '\n'
  const inside = node.children.map(inlineText).join('')
  if (node.href === undefined || node.href === inside) return inside
  return inside.trim() === '' ? node.href : `${inside} (${node.href})`
}

function blockText({ name, start = 1, children }: SimpleElement): string {
  switch (name) {
    case 'hr':
      return '---'
    case 'pre':
      return sourceText(children).replace(/\n$/, '')
    case 'blockquote':
      return textOf(children).replace(/^/gm, '> ')
    case 'ul':
      return itemsOf(children, () => '- ')
    case 'ol':
      return itemsOf(children, (index) => `${start + index}. `)
    case 'table':
    case 'thead':
    case 'tbody':
      return elementsOf(children).map(blockText).join('\n')
    case 'tr':
      return elementsOf(children)
        .map((one) => textOf(one.children))
        .join(' | ')
    default:
      return textOf(children)
  }
}

function elementsOf(children: Simple[]): SimpleElement[] {
  return children.filter((child) => typeof child !== 'string')
}

function itemsOf(children: Simple[], bullet: (index: number) => string): string {
  const items = elementsOf(children).map((item, index) => bullet(index) + textOf(item.children).replace(/\n+/g, '\n  '))
  return items.join('\n')
}

/** Code keeps its spaces and line breaks. */
function sourceText(children: Simple[]): string {
  return children.map((child) => (typeof child === 'string' ? child : sourceText(child.children))).join('')
}
