import type { Block } from './tree.ts'

/** The HTML of everything inside a block. */
export function contents(parent: Block): string {
  const opening = parent.textHtml || (parent.children.length > 0 ? '\n' : '')
  return opening + parent.children.map(withTail).join('')
}

/** The HTML of a whole message. */
export function documentHtml(root: Block): string {
  return (root.children.map(withTail).join('') + root.previews).trim()
}

function withTail(block: Block): string {
  if (block.dropped) return block.previews
  const after = block.tag === 'p' ? block.previews : ''
  return `${element(block)}${block.tailHtml || '\n'}${after}`
}

function element(block: Block): string {
  if (block.raw !== undefined) return block.raw
  if (block.tag === 'hr') return '<hr>'
  if (block.tag === 'spoiler') return spoiler(block)
  const inner = contents(block) + (block.tag === 'li' ? block.previews : '')
  return `<${block.tag}${block.attributes}>${inner}</${block.tag}>`
}

function spoiler({ children: [header, content] }: Block): string {
  const head = (header && contents(header)) || '\n'
  const body = (content && contents(content)) || '\n'
  const hidden = '<div class="spoiler-content" aria-hidden="true">'
  return `<div class="spoiler-block"><div class="spoiler-header">${head}</div>${hidden}${body}</div></div>`
}
