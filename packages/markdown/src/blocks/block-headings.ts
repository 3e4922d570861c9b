import { type Block, block } from '../tree.ts'
import type { BlockParser } from './blocks.ts'

const headingLine = /(?:^|\n)(#{1,6}) ([^\n]*)(?:\n|$)/

/** `# Title` on a line of its own, anywhere in the block. */
export function heading(text: string, parent: Block, parser: BlockParser): boolean {
  if (!text.includes('# ')) return false
  const found = headingLine.exec(text)
  if (!found) return false
  const [all, marks = '', title = ''] = found
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + all.length)
  if (before) parser.parse([before], parent)
  block(`h${marks.length}`, parent, withoutClosingMarks(title))
  if (after) parser.pending.push(after)
  return true
}

function withoutClosingMarks(title: string): string {
  let end = title.length
  while (title[end - 1] === '#') end--
  return title.slice(0, end).trim()
}
