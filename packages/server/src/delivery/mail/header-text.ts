import { firstCharacters } from '../../platform/text.ts'

/** Break a line, or change the direction of the text. */
const unwanted = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]+/gu

/**
 * A text for a subject or the name of a recipient: one line, in one direction. `=?` would begin an encoded word (RFC 2047),
 * which email programs decode to anything.
 */
export function headerText(text: string): string {
  return firstCharacters(text.replace(unwanted, ' ').replaceAll('=?', '= ?').trim(), 200)
}
