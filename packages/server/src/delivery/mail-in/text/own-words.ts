import { beforeAttribution, findUnmarkedQuote, isMarker } from './find-quote.ts'
import { withoutSignature } from './mail-signature.ts'

export interface Wishes {
  /** Keep what the email quotes. */
  quotes?: boolean
  /** Keep signatures. */
  footer?: boolean
}

/**
 * What the author of an email has written: without the email that it answers and without the signature. Where answers stand
 * between quoted lines, the paragraph above each answer is kept as a quote. Takes linear time.
 */
export function ownWords(text: string, { quotes = false, footer = false }: Wishes = {}): string {
  const lines = tidy(text).split('\n')
  const clean = (some: string[]) => (footer ? some : withoutSignature(some))
  if (quotes) return joined(clean(lines))
  const end = findUnmarkedQuote(lines)
  const own = joined(answers(lines.slice(0, end), clean))
  return own === '' && end < lines.length ? answerBelow(lines.slice(end), clean) : own
}

/** Also programs that quote without marks let people answer below. Then nothing tells the answer from the quote but its place. */
function answerBelow(lines: string[], clean: (lines: string[]) => string[]): string {
  const lastOfOurs = lines.findLastIndex((line) => line.includes('://') && line.includes('/unsubscribe/'))
  return lastOfOurs < 0 ? '' : joined(answers(lines.slice(lastOfOurs + 1), clean))
}

interface Section {
  isQuote: boolean
  lines: string[]
}

function answers(lines: string[], clean: (lines: string[]) => string[]): string[] {
  const sections = sectionsOf(lines).map((section, index, all) => {
    if (section.isQuote) return section
    const isAboveQuote = all[index + 1] !== undefined
    return { isQuote: false, lines: clean(isAboveQuote ? beforeAttribution(section.lines) : section.lines) }
  })
  const written = sections.filter((section) => !section.isQuote && !isBlank(section.lines))
  if (written.length <= 1) return written[0]?.lines ?? []
  return sections.flatMap((section, index) => {
    if (section.isQuote || isBlank(section.lines)) return []
    const above = sections[index - 1]
    return above ? ['', ...lastParagraph(above.lines), '', ...section.lines] : section.lines
  })
}

const quoteMark = /^ {0,3}>/

/** Blank lines belong to the section in which they stand; a blank line between two quotes is part of them. */
function sectionsOf(lines: string[]): Section[] {
  const sections: Section[] = []
  for (const line of lines) {
    const isQuote = quoteMark.test(line)
    const last = sections.at(-1)
    if (last && (last.isQuote === isQuote || (last.isQuote && line.trim() === ''))) last.lines.push(line)
    else sections.push({ isQuote, lines: [line] })
  }
  return sections
}

const mostQuotedLines = 10

/** What an answer is about: the last paragraph above it, of the email that it answers. */
function lastParagraph(quote: string[]): string[] {
  const kept: string[] = []
  for (const line of quote.toReversed()) {
    const text = line.replace(quoteMark, '').trim()
    if (text === '' && kept.length === 0) continue
    if (text === '' || text.startsWith('>') || isMarker(text) || kept.length === mostQuotedLines) break
    kept.unshift(`> ${text}`)
  }
  return kept
}

function isBlank(lines: string[]): boolean {
  return lines.every((line) => line.trim() === '')
}

const invisible = /[\u200b\u2060\ufeff\u00ad]/g
const control = /[^\P{Cc}\n\t]/gu

/** One kind of line break and space, and nothing that cannot be stored or seen. */
function tidy(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u00a0\u202f\u2007]/g, ' ')
    .replace(invisible, '')
    .replace(control, '')
    .toWellFormed()
}

/** Without blank lines at the ends, and with one between paragraphs. */
function joined(lines: string[]): string {
  const kept: string[] = []
  for (const line of lines.map((one) => one.trimEnd())) {
    if (line !== '' || (kept.length > 0 && kept.at(-1) !== '')) kept.push(line)
  }
  while (kept.at(-1) === '') kept.pop()
  return kept.join('\n')
}
