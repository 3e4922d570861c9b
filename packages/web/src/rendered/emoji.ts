/** At most so many emoji without other text are shown larger. */
const mostLarge = 12
const hasEmoji = /\p{Extended_Pictographic}|\p{RI}/u

/** Draws emoji in colour, and those of messages without other text larger. */
export async function finishEmoji(content: Element): Promise<void> {
  enlarge(content)
  if (!hasEmoji.test(content.textContent)) return
  const { firstChild } = content
  const { drawEmoji } = await import('./emoji-text.ts')
  if (content.firstChild !== firstChild) return // another text by now
  drawEmoji(content)
  enlarge(content)
}

function enlarge(content: Element): void {
  const [paragraph] = content.children
  if (paragraph && content.children.length === 1 && isEmojiOnly(paragraph)) paragraph.classList.add('large-emoji')
}

function isEmojiOnly(paragraph: Element): boolean {
  const children = [...paragraph.childNodes].filter(
    (node) => node.nodeType !== Node.TEXT_NODE || node.textContent?.trim(),
  )
  const isEmoji = (node: Node) => node instanceof Element && node.matches('.emoji, .marks, br')
  return children.length > 0 && children.length <= mostLarge && children.every(isEmoji)
}
