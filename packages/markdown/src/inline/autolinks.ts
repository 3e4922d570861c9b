import type { Inline } from './inline.ts'
import { keepLink } from './link-html.ts'
import { markStart } from './marks.ts'
import { isTopLevelDomain } from './top-level-domains.ts'

const signOfUrl = /[.@]|:\/\/|bitcoin:/
const withScheme = /(?:https?|hansoft|obsidian|zotero|asanadesktop):\/\/[\p{L}\p{N}_.:@-]+/uy
const domain = /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+/uy
const label = /[\p{L}\p{N}_-]+/uy
const email = /[\p{L}\p{N}_.-]+@[\p{L}\p{N}_.-]+\.[\p{L}\p{N}_]+(?=[!:;?),.'">]*$)/uy
const bitcoin = /bitcoin:[13][a-km-zA-HJ-NP-Z1-9]{25,34}(?=[!:;?),.'">]*$)/y
const punctuation = new Set('!:;?),.\'">')
const maxParentheses = 7

/** Bare URLs and emails. */
export function autolinks(text: string, inline: Inline): string {
  if (!mayContainUrl(text)) return text
  // A URL contains no white space, so each word is checked separately.
  return text.replace(/\S+/g, (word) => (mayContainUrl(word) ? linkWord(word, inline) : word))
}

/** A quick test that is false for most texts without URLs and emails. */
export function mayContainUrl(text: string): boolean {
  return signOfUrl.test(text)
}

/** The first URL in a word, or undefined. */
export function findUrl(word: string): { start: number; url: string } | undefined {
  // After a URL, a word can only end in punctuation.
  const tail = punctuationStart(word)
  // All names up to here have the same end, so retrying inside one cannot succeed.
  let tried = 0
  for (let start = 0; start < word.length; start++) {
    if (!mayStart(word, start)) continue
    let end = Math.max(endOfPath(word, start, matchEnd(withScheme, word, start), tail), matchEnd(bitcoin, word, start))
    if (end < 0 && start >= tried) {
      end = endOfName(word, start, tail)
      tried = Math.max(matchEnd(domain, word, start), matchEnd(label, word, start))
    }
    if (end > start) return { start, url: word.slice(start, end) }
  }
  return undefined
}

function linkWord(word: string, inline: Inline): string {
  const found = findUrl(word)
  // A URL that would contain other markup is not linked.
  if (!found || found.url.includes(markStart)) return word
  const mark = keepLink(inline, found.url, found.url, found.url)
  if (mark === undefined) return word
  return word.slice(0, found.start) + mark + word.slice(found.start + found.url.length)
}

/** URLs start a word, or follow an opening bracket or quote or a character of a script without spaces. */
function mayStart(word: string, at: number): boolean {
  if (at === 0) return true
  const halfCharacter = /^[\uDC00-\uDFFF]/.test(word[at] ?? '')
  return !halfCharacter && (word.charCodeAt(at - 1) > 127 || '\'"(,:<'.includes(word[at - 1] ?? ''))
}

/** The end of a URL without `https://`: a name under a known top-level domain, or an email. */
function endOfName(word: string, start: number, tail: number): number {
  const host = matchEnd(domain, word, start)
  const known = host > 0 && isTopLevelDomain(word.slice(word.lastIndexOf('.', host - 1) + 1, host))
  const end = known ? endOfPath(word, start, host, tail) : -1
  return end > 0 ? end : matchEnd(email, word, start)
}

function endOfPath(word: string, start: number, host: number, tail: number): number {
  if (host < 0) return -1
  const next = word[host]
  const query = next === '?' && host + 1 < word.length && !/[)"]/.test(word[host + 1] ?? '')
  if (next === '/' || query) return endOfBalanced(word, host + 1, tail)
  // Dots and colons at the end of the host belong to the sentence.
  return host < tail ? -1 : Math.max(tail, start + 1)
}

/** The position after which there is only punctuation, and up to which parentheses are balanced. */
function endOfBalanced(word: string, from: number, tail: number): number {
  let depth = 0
  for (let at = from; at <= word.length; at++) {
    if (at >= tail && depth === 0) return at
    const character = word[at]
    if (character === '"') return -1
    if (character === '(' && ++depth > maxParentheses) return -1
    if (character === ')' && --depth < 0) return -1
  }
  return -1
}

function punctuationStart(word: string): number {
  let start = word.length
  while (start > 0 && punctuation.has(word[start - 1] ?? '')) start--
  return start
}

function matchEnd(pattern: RegExp, word: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(word) ? pattern.lastIndex : -1
}
