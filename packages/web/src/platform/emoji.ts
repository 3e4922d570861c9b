/** Undefined for emoji without a skin. */
export function inTone(glyph: string, tone: string): string | undefined {
  const skin = /(\p{Emoji_Modifier_Base})\uFE0F?/u
  return tone !== '' && skin.test(glyph) ? glyph.replace(skin, `$1${tone}`) : undefined
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
