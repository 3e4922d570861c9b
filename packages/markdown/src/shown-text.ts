import { glyphOf } from './glyph.ts'

const tag = /<(\/?)([a-z0-9]+)(?![a-z0-9])([^<>]*)>/g
const entity = /&(?:lt|gt|quot|#39|nbsp|amp);/g
const characters = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&nbsp;', ' '],
  ['&amp;', '&'],
])
/** Elements inside a line, which separate no words. */
const inline = new Set(['a', 'code', 'del', 'em', 'img', 'span', 'strong', 'sub', 'sup', 'time'])
const emojiCode = /\bemoji-([0-9a-f]+(?:-[0-9a-f]+)*)"?/
const imageName = /\balt="(:[^"]*:)"/

/** What stands for an element whose content is not shown; undefined: it is shown. */
function standsFor(name: string, attributes: string): string | undefined {
  if (name === 'div' && attributes.includes('class="spoiler-content"')) return ' '
  if (name !== 'span') return undefined
  if (attributes.includes('class="katex"')) return ''
  const code = attributes.includes('class="emoji ') && emojiCode.exec(attributes)?.[1]
  return code ? glyphOf(code) : undefined
}

export function decodeEntities(text: string): string {
  return text.replace(entity, (one) => characters.get(one)!)
}

/**
 * The words of a rendered message in one line, without what its author hid. An emoji is its character, a formula what
 * was typed, an image without words its name or URL.
 */
export function shownText(html: string): string {
  let shown = ''
  let end = 0
  /** The element whose content is left out, and how many of its kind are open in it, with itself. */
  let hidden = ''
  let depth = 0
  let isSource = false
  for (const { 0: source, 1: closing, 2: name = '', 3: attributes = '', index } of html.matchAll(tag)) {
    if (depth === 0 || isSource) shown += html.slice(end, index)
    end = index + source.length
    isSource = name === 'annotation' && closing === ''
    if (depth > 0) {
      if (name === hidden) depth += closing ? -1 : 1
      continue
    }
    const sign = closing ? undefined : standsFor(name, attributes)
    if (sign !== undefined) [hidden, depth] = [name, 1]
    shown += sign ?? imageName.exec(name === 'img' ? attributes : '')?.[1] ?? (inline.has(name) ? '' : ' ')
  }
  const words = decodeEntities(`${shown}${html.slice(end)}`)
    .replace(/\s+/g, ' ')
    .trim()
  return words || imageTitle(html)
}

/** A message may be nothing but an image. */
function imageTitle(html: string): string {
  const [, href = '', title = href] = /^<div class="[^"]*"><a href="([^"]*)"(?: title="([^"]*)")?/.exec(html) ?? []
  return decodeEntities(title)
}
