/** An emoji written as characters that the server did not recognize, for example with a skin tone. */
const one = String.raw`\p{Emoji}(?:\p{Emoji_Modifier}|\uFE0F\u20E3?)?`
const sequence = new RegExp(String.raw`\p{RI}{2}|${one}(?:\u200D${one})*`, 'gu')

/** Signs of text that only a variation selector makes emoji: digits, ©, ™, arrows, geometric shapes. */
const isSign = /^[\p{ASCII}\u00A9\u00AE\u203C-\u21FF\u25A0-\u25FF]$/u
/** A heart, for example, which is drawn as text without U+FE0F. */
const isText = /^\P{Emoji_Presentation}$/u

/** Draws every emoji as one in colour. */
export function drawEmoji(content: Element): void {
  for (const text of textsOf(content)) wrapEmoji(text)
}

function textsOf(content: Element): Text[] {
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT)
  const found: Text[] = []
  while (walker.nextNode()) {
    const text = walker.currentNode as Text
    if (!text.parentElement?.closest('code, pre, .emoji, .katex')) found.push(text)
  }
  return found
}

function wrapEmoji(text: Text): void {
  const parts: (string | Element)[] = []
  let end = 0
  for (const { 0: source, index } of text.data.matchAll(sequence)) {
    if (isSign.test(source)) continue
    const glyph = document.createElement('span')
    glyph.className = 'emoji'
    glyph.textContent = isText.test(source) ? `${source}\uFE0F` : source
    parts.push(text.data.slice(end, index), glyph)
    end = index + source.length
  }
  if (end > 0) text.replaceWith(...parts, text.data.slice(end))
}
