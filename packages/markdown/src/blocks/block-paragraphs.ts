import { onlyFenceMark } from '../inline/marks.ts'
import { type Block, block, lastChild } from '../tree.ts'
import type { BlockParser } from './blocks.ts'
import { addFenced } from './fenced-blocks.ts'

/** Everything else: a paragraph, the loose text of a list item, or the mark of a fenced block. */
export function paragraph(text: string, parent: Block, parser: BlockParser): boolean {
  const trimmed = text.trim()
  if (trimmed === '') return true
  const mark = onlyFenceMark.exec(trimmed)
  const fenced = mark && parser.fenced[Number(mark[1])]
  if (fenced) addFenced(fenced, parent, parser)
  else if (parser.isIn('list')) addLooseText(text, parent)
  else block('p', parent, text.trimStart())
  return true
}

function addLooseText(text: string, item: Block): void {
  const last = lastChild(item)
  if (last) last.tail += `\n${text}`
  else item.text = item.text ? `${item.text}\n${text}` : text.trimStart()
}
