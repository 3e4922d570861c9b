/** The glyph of a standard emoji; its code lists the code points in hexadecimal. */
export function glyphOf(code: string): string {
  return code
    .split('-')
    .map((point) => String.fromCodePoint(Number.parseInt(point, 16)))
    .join('')
}

/** What most people react with, one click away. */
export const quickEmoji = [
  { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' },
  { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' },
  { emoji_name: 'heart', emoji_code: '2764', reaction_type: 'unicode_emoji' },
  { emoji_name: 'eyes', emoji_code: '1f440', reaction_type: 'unicode_emoji' },
  { emoji_name: 'check', emoji_code: '2705', reaction_type: 'unicode_emoji' },
  { emoji_name: 'joy', emoji_code: '1f602', reaction_type: 'unicode_emoji' },
] as const
