import { type Block, block, lastChild } from '../tree.ts'
import type { BlockParser } from './blocks.ts'

const indent = '    '

/** Code indented by four spaces. */
export function codeBlock(text: string, parent: Block, parser: BlockParser): boolean {
  if (!text.startsWith(indent)) return false
  const lines = text.split('\n')
  const end = lines.findIndex((line) => !line.startsWith(indent) && line.trim() !== '')
  const code = end < 0 ? lines : lines.slice(0, end)
  append(
    parent,
    `${code
      .map((line) => line.slice(indent.length))
      .join('\n')
      .trimEnd()}\n`,
  )
  if (end >= 0) parser.pending.push(lines.slice(end).join('\n'))
  return true
}

function append(parent: Block, code: string): void {
  const before = lastChild(parent)
  if (before?.tag === 'code') before.text += `\n${code}`
  else block('code', parent, code)
}
