import { type Block, block, lastChild, wrapText } from '../tree.ts'
import type { BlockParser } from './blocks.ts'

const indent = '  '
const nestedItem = /^ {2,3}(?:\d+\.|[*+-]) +/

interface ListKind {
  tag: 'ol' | 'ul'
  item: RegExp
}

const ordered: ListKind = { tag: 'ol', item: /^ ?(\d+)\. +(?! )(.*)$/ }
const unordered: ListKind = { tag: 'ul', item: /^ ?([*+-]) +(?! )(.*)$/ }

/** `1. item` lines. */
export function orderedList(text: string, parent: Block, parser: BlockParser): boolean {
  return list(ordered, text, parent, parser)
}

/** `* item` lines; `-` and `+` work too. */
export function unorderedList(text: string, parent: Block, parser: BlockParser): boolean {
  return list(unordered, text, parent, parser)
}

/** Indented text after a list belongs to the last item at that depth. */
export function listContinuation(text: string, parent: Block, parser: BlockParser): boolean {
  if (!text.startsWith(indent) || parser.isIn('detabbed')) return false
  if (parent.tag !== 'li' && !isList(lastChild(parent))) return false
  const { level, owner } = findOwner(text, parent, parser)
  const inner = dedent(text, level)
  parser.places.push('detabbed')
  addToOwner(inner, parent, owner, parser)
  parser.places.pop()
  return true
}

function list(kind: ListKind, text: string, parent: Block, parser: BlockParser): boolean {
  const first = kind.item.exec(firstLine(text))
  if (!first || !parser.mayNest()) return false
  const items = splitItems(kind, text)
  const target = listFor(kind, first[1] ?? '', parent)
  // A blank line came before: the list is loose, and its items are paragraphs.
  if (target === lastChild(parent) && target.children.length > 0) addLooseItem(target, items.shift() ?? '', parser)
  for (const item of items) addItem(target, item, parser)
  return true
}

function splitItems(kind: ListKind, text: string): string[] {
  const items: string[] = []
  for (const line of text.split('\n')) {
    const item = kind.item.exec(line)
    const last = items[items.length - 1] ?? ''
    if (item) items.push(item[2] ?? '')
    else if (nestedItem.test(line) && !last.startsWith(indent)) items.push(line)
    else items[items.length - 1] = `${last}\n${line}`
  }
  return items
}

function listFor(kind: ListKind, marker: string, parent: Block): Block {
  const before = lastChild(parent)
  if (before?.tag === kind.tag) return before
  if (isList(parent)) return parent
  const made = block(kind.tag, parent)
  if (kind.tag === 'ol' && marker !== '1') made.attributes = ` start="${marker}"`
  return made
}

function addLooseItem(target: Block, item: string, parser: BlockParser): void {
  const before = lastChild(target)
  if (before) loosen(before)
  parser.parseIn('loose list', item, block('li', target))
}

function loosen(item: Block): void {
  wrapText(item)
  const last = lastChild(item)
  if (!last?.tail) return
  block('p', item, last.tail.trimStart())
  last.tail = ''
}

function addItem(target: Block, item: string, parser: BlockParser): void {
  const before = lastChild(target)
  parser.parseIn('list', item, item.startsWith(indent) && before ? before : block('li', target))
}

/** Descends into the lists before the text, one per level of indentation. */
function findOwner(text: string, parent: Block, parser: BlockParser): { level: number; owner: Block } {
  const wanted = Math.floor((text.length - text.trimStart().length) / indent.length)
  let level = parser.isIn('list') ? 1 : 0
  let owner = parent
  while (wanted > level) {
    const child = lastChild(owner)
    if (!child || (child.tag !== 'li' && !isList(child))) break
    if (isList(child)) level++
    owner = child
  }
  return { level, owner }
}

function addToOwner(text: string, parent: Block, owner: Block, parser: BlockParser): void {
  const last = lastChild(parent.tag === 'li' ? parent : owner)
  if (parent.tag === 'li') parser.parse([text], isList(last) ? last : parent)
  else if (owner.tag === 'li') parser.parse([text], owner)
  else if (last?.tag === 'li') {
    wrapText(last)
    parser.parseChunk(text, last)
  } else parser.parse([text], block('li', owner))
}

function dedent(text: string, level: number): string {
  const prefix = indent.repeat(level)
  return text
    .split('\n')
    .map((line) => (line.startsWith(prefix) ? line.slice(prefix.length) : line))
    .join('\n')
}

function isList(candidate: Block | undefined): candidate is Block {
  return candidate?.tag === 'ul' || candidate?.tag === 'ol'
}

function firstLine(text: string): string {
  const end = text.indexOf('\n')
  return end < 0 ? text : text.slice(0, end)
}
