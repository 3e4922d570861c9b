import type { Inline } from './inline.ts'
import { keepLink } from './link-html.ts'

/** `[text](URL)`; brackets and parentheses inside may nest if they are balanced. */
export function namedLinks(text: string, inline: Inline): string {
  return replaceNamed(text, '', (link, source) =>
    keepLink(inline, source, inline.source(link.address), link.text, title(link, inline)),
  )
}

/** Replaces every `[text](URL)` after the given prefix, unless there is no replacement. */
export function replaceNamed(
  text: string,
  sign: '' | '!',
  replace: (link: NamedLink, source: string) => string | undefined,
): string {
  const closings = matchingBrackets(text)
  let result = ''
  let end = 0
  for (let start = text.indexOf('['); start >= 0; start = text.indexOf('[', Math.max(start + 1, end))) {
    const link = (text[start - 1] === '!') === (sign === '!') ? linkAt(text, start, closings.get(start)) : undefined
    const from = start - sign.length
    const mark = link && replace(link, text.slice(from, link.end))
    if (!link || mark === undefined) continue
    result += text.slice(end, from) + mark
    end = link.end
  }
  return result + text.slice(end)
}

export interface NamedLink {
  text: string
  address: string
  title?: string
  end: number
}

function title(link: NamedLink, inline: Inline): string | undefined {
  return link.title && inline.source(link.title).replace(/\s/g, ' ')
}

function linkAt(text: string, start: number, closing: number | undefined): NamedLink | undefined {
  if (closing === undefined || text[closing + 1] !== '(') return undefined
  const end = closingParenthesis(text, closing + 1)
  if (end < 0) return undefined
  return { text: text.slice(start + 1, closing), end: end + 1, ...addressIn(text.slice(closing + 2, end)) }
}

/** The position of the `]` for each `[`. One pass, because a message may contain many. */
function matchingBrackets(text: string): Map<number, number> {
  const closings = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '[') open.push(at)
    else if (text[at] === ']') {
      const start = open.pop()
      if (start !== undefined) closings.set(start, at)
    }
  }
  return closings
}

function closingParenthesis(text: string, opening: number): number {
  let depth = 0
  for (let at = opening; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at
  }
  return -1
}

/** The URL, and the title in quotes that may follow it. Angle brackets around the URL are ignored. */
function addressIn(inner: string): { address: string; title?: string } {
  const trimmed = inner.trim()
  const quote = trimmed[trimmed.length - 1]
  const opening = quote === '"' || quote === "'" ? trimmed.indexOf(quote) : trimmed.length
  if (opening >= trimmed.length - 1) return { address: withoutBrackets(trimmed) }
  return { address: withoutBrackets(trimmed.slice(0, opening).trim()), title: trimmed.slice(opening + 1, -1) }
}

function withoutBrackets(address: string): string {
  return /^<([^<>]*)>$/.exec(address)?.[1]?.trim() ?? address
}
