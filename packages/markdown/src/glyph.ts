/** Characters that are drawn as text unless they are followed by U+FE0F, such as the heart. */
const isTextByDefault = /^(?=\p{Emoji})\P{Emoji_Presentation}$/u

/** The glyph of a standard emoji, in colour; its code lists the code points in hexadecimal. */
export function glyphOf(code: string): string {
  return code
    .split('-')
    .map((point) => String.fromCodePoint(Number.parseInt(point, 16)))
    .map((character) => (isTextByDefault.test(character) ? `${character}\uFE0F` : character))
    .join('')
}
