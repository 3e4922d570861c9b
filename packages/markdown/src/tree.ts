/** An element of the message's tree. Texts are markup until the inline pass renders them. */
export interface Block {
  tag: string
  /** Attributes as HTML, with a leading space. */
  attributes: string
  /** Text before the first child. */
  text: string
  /** Text after this block, inside its parent. */
  tail: string
  children: Block[]
  textHtml: string
  tailHtml: string
  /** HTML that replaces the element. */
  raw?: string
  /** Previews of links in this block, put after it (paragraphs) or at its end (list items). */
  previews: string
  /** True for a paragraph with only a link that is now shown as a preview. */
  dropped: boolean
}

/** A new block, appended to its parent if it has one. */
export function block(tag: string, parent?: Block, text = ''): Block {
  const made: Block = {
    tag,
    attributes: '',
    text,
    tail: '',
    children: [],
    textHtml: '',
    tailHtml: '',
    previews: '',
    dropped: false,
  }
  parent?.children.push(made)
  return made
}

/** The block's last child, if it has children. */
export function lastChild(parent: Block): Block | undefined {
  return parent.children[parent.children.length - 1]
}

/** Moves the loose text of a list item into a paragraph of its own, before everything else in the item. */
export function wrapText(item: Block): void {
  if (!item.text) return
  const paragraph = block('p', undefined, item.text)
  item.text = ''
  item.children.unshift(paragraph)
}
