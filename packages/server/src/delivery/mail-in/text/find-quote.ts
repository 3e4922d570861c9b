import { attributionStarts, attributionVerbs, headerLabels, originalMessage, replyMarkers } from './quote-words.ts'

export function isMarker(line: string): boolean {
  return replyMarkers.some((marker) => line.includes(marker))
}

function isUnquotedMarker(line: string): boolean {
  return isMarker(line) && !/^\s*>/.test(line)
}

/** The line where a quote begins whose lines have no mark of their own, with what programs put above it; or the end. */
export function findUnmarkedQuote(lines: string[]): number {
  const found = lines.findIndex(
    (line, index) => isUnquotedMarker(line) || isDivider(line) || isHeaderBlock(lines, index),
  )
  return found < 0 ? lines.length : beforeAttribution(lines.slice(0, found)).length
}

/** `-----Original Message-----` */
function isDivider(line: string): boolean {
  const text = line.trim().replaceAll('*', '')
  if (!/^(?:-{3,}|_{3,})[^-_]/.test(text)) return false
  const words = text
    .replace(/^[-_ ]+/, '')
    .replace(/(?<![-_ ])[-_ ]+$/, '')
    .toLowerCase()
  return originalMessage.includes(words)
}

type Label = keyof typeof headerLabels

const labels = new Map(
  Object.entries(headerLabels).flatMap(([kind, names]) =>
    names.map((name) => [name as string, kind as Label] as const),
  ),
)
/** `a` and `da` stand for several fields, by language: what counts is how many fields there are. */
function labelOf(line: string): Label | undefined {
  const end = line.slice(0, 40).search(/[:：]/)
  return end < 0 ? undefined : labels.get(line.slice(0, end).replaceAll('*', '').trim().toLowerCase())
}

const headerLines = 8

/**
 * Fields of an email, as Outlook writes them above what it quotes. The first one names an email address, or a line of
 * underscores or our marker is near, so that a travel plan ("From: Berlin") is not taken for one.
 */
function isHeaderBlock(lines: string[], index: number): boolean {
  if (labelOf(lines[index]!) !== 'from') return false
  const block = lines.slice(index, index + headerLines)
  const kinds = new Set(block.map(labelOf))
  if (!kinds.has('sent') || !(kinds.has('to') || kinds.has('subject'))) return false
  const near = [...lines.slice(Math.max(0, index - 2), index), ...block]
  return /\S@\S/.test(lines[index]!) || near.some((line) => isRule(line) || isUnquotedMarker(line))
}

function isRule(line: string): boolean {
  return /^\s*[_-]{5,}\s*$/.test(line)
}

const mostAttributionLines = 4
const longestAttribution = 500
/** Programs break lines that are longer than about 70 characters. */
const shortestBrokenLine = 35

/** The lines without those at their end that introduce a quote. */
export function beforeAttribution(lines: string[]): string[] {
  const kept = trimmedEnd(lines)
  for (let count = 1; count <= mostAttributionLines && count <= kept.length; count++) {
    if (kept.at(-count)!.trim() === '') break
    if (isAttribution(kept.slice(-count))) return trimmedEnd(kept.slice(0, -wholeAttribution(kept, count)))
  }
  return isRule(kept.at(-1) ?? '') ? trimmedEnd(kept.slice(0, -1)) : kept
}

/** With the lines above that belong to it, where the program broke a long line: those with its first words or its date. */
function wholeAttribution(lines: string[], found: number): number {
  if (begins(lines.at(-found)!)) return found
  const has = (line: string, what: (line: string) => boolean) => what(line) && !lines.slice(-found).some(what)
  for (let count = found + 1; count <= mostAttributionLines && count <= lines.length; count++) {
    const line = lines.at(-count)!.trim()
    if (line.length < shortestBrokenLine || /[.!?]$/.test(line)) break
    if (begins(line) || has(line, hasYear) || has(line, endsWithAddress)) return count
  }
  return found
}

function endsWithAddress(line: string): boolean {
  return /@[^\s@<>]+>$/.test(line.trim())
}

function hasYear(line: string): boolean {
  return /\d{4}/.test(line)
}

function trimmedEnd(lines: string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1)
}

function begins(line: string): boolean {
  const start = line.trim().toLowerCase()
  return attributionStarts.some((one) => start.startsWith(one))
}

/** A line that ends with a colon, has a time or a date, and says that someone wrote, or has their email address. */
function isAttribution(lines: string[]): boolean {
  const text = lines.map((line) => line.trim()).join(' ')
  if (text.length > longestAttribution || !/[:：]$/.test(text)) return false
  const hasTime = /\d[:.h時点点]\s?\d\d|\d{4}|\d{1,2}[./-]\d{1,2}/.test(text)
  if (!hasTime) return false
  const lower = text.toLowerCase()
  return attributionVerbs.some((verb) => lower.includes(verb)) || endsWithSender(text)
}

/** An email address in angle brackets, and a word or two. */
function endsWithSender(text: string): boolean {
  const end = text.lastIndexOf('>')
  return end > text.length - 20 && text.slice(text.lastIndexOf('<', end) + 1, end).includes('@')
}
