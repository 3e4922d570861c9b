import { trimNewlines } from '../text.ts'
import { type Block, block } from '../tree.ts'
import type { BlockParser } from './blocks.ts'

const ruleLine = /^ {0,3}(?:(?:- {0,2}){3,}|(?:_ {0,2}){3,}|(?:\* {0,2}){3,}) *$/m

/** A line of three or more `-`, `*` or `_`: a horizontal rule. */
export function rule(text: string, parent: Block, parser: BlockParser): boolean {
  const found = ruleLine.exec(text)
  if (!found) return false
  const before = trimNewlines(text.slice(0, found.index))
  const after = trimNewlines(text.slice(found.index + found[0].length))
  if (before) parser.parse([before], parent)
  block('hr', parent)
  if (after) parser.pending.push(after)
  return true
}
