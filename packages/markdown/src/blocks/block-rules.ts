import { codeBlock } from './block-code.ts'
import { heading } from './block-headings.ts'
import { listContinuation, orderedList, unorderedList } from './block-lists.ts'
import { paragraph } from './block-paragraphs.ts'
import { quote } from './block-quotes.ts'
import { table } from './block-tables.ts'
import type { BlockRule } from './blocks.ts'
import { rule } from './horizontal-rules.ts'

/** All kinds of blocks, by precedence. */
export const blockRules: readonly BlockRule[] = [
  listContinuation,
  codeBlock,
  heading,
  table,
  rule,
  orderedList,
  unorderedList,
  quote,
  paragraph,
]
