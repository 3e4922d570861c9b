import { type Block, block } from '../tree.ts'
import type { BlockParser } from './blocks.ts'

const quotedLine = /^ {0,3}> ?(.*)$/

/** Lines from the first `>` to the end of the block; the mark may be missing on later lines. */
export function quote(text: string, parent: Block, parser: BlockParser): boolean {
  if (!text.includes('>') || !parser.mayNest()) return false
  const lines = text.split('\n')
  const start = firstQuoted(lines)
  if (start < 0) return false
  if (start > 0) parser.parse([lines.slice(0, start).join('\n')], parent)
  const inner = lines.slice(start).map(withoutMark).join('\n')
  parser.places.push('quote')
  parser.parseChunk(inner, block('blockquote', parent))
  parser.places.pop()
  return true
}

/** The line where the quote starts, or -1. A quote without content is text. */
function firstQuoted(lines: string[]): number {
  const start = lines.findIndex((line) => quotedLine.test(line))
  if (start < 0) return -1
  return lines.slice(start).every((line) => line.trim() === '>') ? -1 : start
}

function withoutMark(line: string): string {
  if (line.trim() === '>') return ''
  return quotedLine.exec(line)?.[1] ?? line
}
