import { lookup } from '@parley/api/lookup'

export interface HtmlElement {
  name: string
  attributes: ReadonlyMap<string, string>
  children: HtmlNode[]
}

/** A string is text without entities. */
export type HtmlNode = string | HtmlElement

const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi
const attribute = /([a-z-]+)(?:="([^"]*)")?/gi
const withoutContent = new Set(['br', 'hr', 'img', 'path', 'line'])
/** Deeper elements become siblings, so that no message exhausts the stack. */
const maxDepth = 20

/** The elements of a rendered message. What is not a tag is text, so that nothing is trusted. */
export function parseHtml(html: string): HtmlNode[] {
  const root: HtmlElement = { name: '', attributes: new Map(), children: [] }
  const open = [root]
  const addText = (text: string) => text && open.at(-1)!.children.push(decodeEntities(text))
  let end = 0
  for (const { 0: source, 1: closing, 2: name, 3: attributes, index } of html.matchAll(tag)) {
    addText(html.slice(end, index))
    end = index + source.length
    if (closing) close(open, name!.toLowerCase())
    else addElement(open, { name: name!.toLowerCase(), attributes: attributesOf(attributes!), children: [] })
  }
  addText(html.slice(end))
  return root.children
}

function addElement(open: HtmlElement[], element: HtmlElement): void {
  open.at(-1)!.children.push(element)
  if (!withoutContent.has(element.name) && open.length < maxDepth) open.push(element)
}

function close(open: HtmlElement[], name: string): void {
  const start = open.findLastIndex((element) => element.name === name)
  if (start > 0) open.length = start
}

function attributesOf(source: string): Map<string, string> {
  const pairs = [...source.matchAll(attribute)]
  return new Map(pairs.map(([, name, value = '']) => [name!.toLowerCase(), decodeEntities(value)]))
}

const characters: Record<string, string> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  amp: '&',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,10}));/gi, (source, decimal, hexadecimal, name) => {
    if (name !== undefined) return lookup(characters, name) ?? source
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : source
  })
}
