import { fenceMark } from '../inline/marks.ts'
import { type Block, lastChild } from '../tree.ts'
import { type Fenced, takeFences } from './fences.ts'
import { separateLists } from './hanging-lists.ts'

/** The parser state that the meaning of a block depends on. */
export type BlockContext = 'list' | 'loose list' | 'detabbed' | 'quote'

/**
 * One kind of block. It checks the text up to the next blank line and, if it matches, adds elements to the parent and
 * returns true. Remaining text goes back to `pending`.
 */
export type BlockRule = (text: string, parent: Block, parser: BlockParser) => boolean

const maxDepth = 60

/** Parses the text of a message into a tree of blocks. */
export class BlockParser {
  private readonly rules: readonly BlockRule[]
  readonly fenced: Fenced[] = []
  readonly places: BlockContext[] = []
  /** Texts still to be parsed into the current parent, the next one last. */
  pending: string[] = []
  /** Whether code is highlighted and formulas are typeset. */
  readonly mayDecorate: () => boolean
  private depth = 0

  /** Earlier rules take precedence. */
  constructor(rules: readonly BlockRule[], mayDecorate = () => true) {
    this.rules = rules
    this.mayDecorate = mayDecorate
  }

  /** Parses a whole text, fences first. */
  parseDocument(text: string, parent: Block, defaultLanguage?: string): void {
    const put = (fenced: Fenced) => fenceMark(this.fenced.push(fenced) - 1)
    this.parseChunk(separateLists(takeFences(text, put, defaultLanguage)), parent)
  }

  /** Parses text that may contain blank lines. */
  parseChunk(text: string, parent: Block): void {
    this.parse(text.includes('\n\n') ? text.split('\n\n') : [text], parent)
  }

  /** Parses texts that were separated by blank lines. */
  parse(texts: string[], parent: Block): void {
    const outer = this.pending
    this.pending = texts.reverse()
    this.depth++
    for (let text = this.pending.pop(); text !== undefined; text = this.pending.pop()) this.parseOne(text, parent)
    this.depth--
    this.pending = outer
  }

  parseIn(place: BlockContext, text: string, parent: Block): void {
    this.places.push(place)
    this.parse([text], parent)
    this.places.pop()
  }

  isIn(place: BlockContext): boolean {
    return this.places[this.places.length - 1] === place
  }

  /** False when blocks are nested so deeply that further markup is treated as text. */
  mayNest(): boolean {
    return this.depth < maxDepth
  }

  private parseOne(text: string, parent: Block): void {
    if (text === '' || text.startsWith('\n')) this.skipBlank(text, parent)
    else this.rules.some((apply) => apply(text, parent, this))
  }

  private skipBlank(text: string, parent: Block): void {
    if (text.length > 1) this.pending.push(text.slice(1))
    const before = lastChild(parent)
    // Indented code continues after blank lines, which are part of it.
    if (before?.tag === 'code') before.text += text === '' ? '\n\n' : '\n'
  }
}
