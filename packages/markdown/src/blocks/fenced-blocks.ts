import { type Block, block } from '../tree.ts'
import type { BlockParser } from './blocks.ts'
import type { Fenced } from './fences.ts'
import { separateLists } from './hanging-lists.ts'
import { codeHtml } from './highlight.ts'
import { displayMath } from './math.ts'

/** Adds the content of a fenced block. */
export function addFenced(fenced: Fenced, parent: Block, parser: BlockParser): void {
  if (fenced.kind === 'code') block('raw', parent).raw = codeHtml(fenced.text, fenced.language, parser.mayDecorate())
  else if (fenced.kind === 'math') block('raw', parent).raw = `<p>${displayMath(fenced.text, parser.mayDecorate)}</p>`
  else if (fenced.kind === 'quote')
    parseInside(separateLists(fenced.text.trimEnd()), block('blockquote', parent), parser)
  else addSpoiler(fenced.header, fenced.text, parent, parser)
}

function addSpoiler(header: string, text: string, parent: Block, parser: BlockParser): void {
  const spoiler = block('spoiler', parent)
  const head = block('spoiler-header', spoiler)
  if (header.trim()) parseInside(header.trim(), head, parser)
  parseInside(separateLists(text.trimEnd(), 'spoiler'), block('spoiler-content', spoiler), parser)
}

function parseInside(text: string, parent: Block, parser: BlockParser): void {
  parser.places.push('quote')
  parser.parseChunk(text, parent)
  parser.places.pop()
}
