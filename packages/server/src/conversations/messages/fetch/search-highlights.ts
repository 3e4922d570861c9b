import { lookup } from '@parley/api/lookup'
import type { Db } from '../../../platform/db/pool.ts'
import { column } from '../../../platform/db/query.ts'

/** What to highlight in the messages found. */
export interface Marks {
  /** Stems: every word with one of these stems is highlighted. */
  lexemes: string[]
  /** Strings that are highlighted anywhere. */
  literals: string[]
  /** Prefixes that are highlighted at the start of a word. */
  beginnings: string[]
}

const word = /[\p{L}\p{N}\p{M}]+/gu
const tag = /(<(?:[^<>"']|"[^"<]*"|'[^'<]*')*>)/
const inlineTag = /^<\/?(?:a|b|code|del|em|i|span|strong|time)\b/

/** What to highlight, with the stems resolved to the word forms in the texts. */
export type Found = Omit<Marks, 'lexemes'> & { forms: string[] }

/** Processes the texts, which may take too long for the main thread. */
export interface Marker {
  words(texts: string[]): Promise<string[]>
  mark(texts: string[], found: Found): Promise<string[]>
}

/** Wraps matches in the HTML texts in `<span class="highlight">`, never inside a tag or an entity. */
export async function markFound(db: Db, marker: Marker, marks: Marks, texts: string[]): Promise<string[]> {
  const { lexemes, literals, beginnings } = marks
  const forms = lexemes.length === 0 ? [] : await formsAmong(db, lexemes, await marker.words(texts))
  return marker.mark(texts, { forms, literals, beginnings })
}

export function markDocuments(texts: string[], { forms, literals, beginnings }: Found): string[] {
  const patterns = [
    ...literals.map((literal) => new RegExp(RegExp.escape(literal), 'giu')),
    ...beginnings.map((start) => new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])${RegExp.escape(start)}`, 'giu')),
  ]
  const known = new Set(forms)
  return texts.map((text) => {
    const document = readDocument(text)
    return write(document, rangesIn(document.shown, known, patterns))
  })
}

/** The distinct visible words of the HTML texts, in lower case. */
export function wordsIn(texts: string[]): string[] {
  const words = new Set<string>()
  for (const text of texts)
    for (const found of readDocument(text).shown.toLowerCase().match(word) ?? []) words.add(found)
  return [...words]
}

/** A piece of HTML, its visible text, and the offset in `html` of each visible character. */
interface Piece {
  html: string
  shown: string
  at: number[] | undefined
}

interface Document {
  pieces: Piece[]
  shown: string
}

function readDocument(html: string): Document {
  const pieces = html.split(tag).map((piece, index) => (index % 2 === 0 ? readText(piece) : readTag(piece)))
  return { pieces, shown: pieces.map(({ shown }) => shown).join('') }
}

/** Block tags count as a line break, so that no match spans two blocks. */
function readTag(html: string): Piece {
  return { html, shown: inlineTag.test(html) ? '' : '\n', at: undefined }
}

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}

function readText(html: string): Piece {
  let shown = ''
  const at: number[] = []
  let place = 0
  for (const [index, part] of html.split(/(&#?\w+;)/).entries()) {
    const text = index % 2 === 0 ? part : (lookup(entities, part) ?? '\ufffd')
    for (let n = 0; n < text.length; n++) at.push(place + n)
    shown += text
    place += part.length
  }
  return { html, shown, at: [...at, html.length] }
}

/** Asks PostgreSQL which of the words have one of the stems, so that highlights agree with the search. */
async function formsAmong(db: Db, lexemes: string[], words: string[]): Promise<string[]> {
  return column<string>(db)`
    select form from unnest(${words}::text[]) w(form)
     where tsvector_to_array(to_tsvector('english', form)) && ${lexemes}::text[]`
}

type Range = [from: number, to: number]

/** The ranges to highlight, in order. Overlapping and adjacent ranges are merged. */
function rangesIn(shown: string, forms: Set<string>, patterns: RegExp[]): Range[] {
  const found: Range[] = patterns.flatMap((pattern) => [...shown.matchAll(pattern)].map(rangeOf))
  if (forms.size > 0)
    for (const match of shown.matchAll(word)) if (forms.has(match[0].toLowerCase())) found.push(rangeOf(match))
  const ranges: Range[] = []
  for (const [from, to] of found.sort((a, b) => a[0] - b[0])) {
    const last = ranges.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else ranges.push([from, to])
  }
  return ranges
}

function rangeOf(match: RegExpExecArray): Range {
  return [match.index, match.index + match[0].length]
}

/** Pieces and ranges are both sorted, so one pass is enough. */
function write({ pieces }: Document, ranges: Range[]): string {
  let place = 0
  let next = 0
  return pieces
    .map(({ html, shown, at }) => {
      const start = place
      place += shown.length
      const cut: Range[] = []
      for (; next < ranges.length && ranges[next]![0] < place; next++) {
        const [from, to] = ranges[next]!
        cut.push([Math.max(from, start) - start, Math.min(to, place) - start])
        if (to > place) break // continues in the next piece
      }
      return at ? writeText(html, at, cut) : html
    })
    .join('')
}

function writeText(html: string, at: number[], ranges: Range[]): string {
  let written = 0
  const parts = ranges.map(([from, to]) => {
    const before = html.slice(written, at[from])
    written = at[to]!
    return `${before}<span class="highlight">${html.slice(at[from], written)}</span>`
  })
  return parts.join('') + html.slice(written)
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => lookup(escapes, char)!)
}
