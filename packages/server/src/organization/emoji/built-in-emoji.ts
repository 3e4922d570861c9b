import type { reactionTypes } from '@parley/api/conversations/messages'
import { codeToNames, emojiCode, extraEmoji } from '@parley/markdown/inline/emoji'
import { ApiError } from '../../platform/http/api-error.ts'

export type ReactionType = (typeof reactionTypes)[number]

/** An emoji of a reaction, identified by its code in the namespace of its type. */
export interface Emoji {
  emoji_name: string
  emoji_code: string
  reaction_type: ReactionType
}

/** The name and the code under which the built-in extra emoji is stored. */
const extraName = 'service'

/** The reaction type as it is stored: resolves the alias that Zulip's clients use. */
export function storedType(type: ReactionType | 'zulip_extra_emoji'): ReactionType {
  return type === 'zulip_extra_emoji' ? 'service_extra_emoji' : type
}

/** The name or code as it is stored: resolves the alias of the built-in extra emoji. */
export function storedCode(type: ReactionType, code: string): string {
  return type === 'service_extra_emoji' && extraEmoji.has(code) ? extraName : code
}

/** The built-in emoji with this name. The extra emoji takes precedence over Unicode emoji. */
export function builtInEmoji(emoji_name: string): Emoji | undefined {
  if (extraEmoji.has(emoji_name))
    return { emoji_name: extraName, emoji_code: extraName, reaction_type: 'service_extra_emoji' }
  const code = emojiCode(emoji_name)
  return code === undefined ? undefined : { emoji_name, emoji_code: code, reaction_type: 'unicode_emoji' }
}

/** Throws unless the code is that of a built-in emoji and the name is one of its names. */
export function checkBuiltIn({ emoji_name, emoji_code, reaction_type }: Emoji): void {
  if (reaction_type === 'service_extra_emoji') {
    if (emoji_code !== extraName) throw new ApiError('Invalid emoji code.')
    if (emoji_name !== extraName) throw new ApiError('Invalid emoji name.')
    return
  }
  if (!Object.hasOwn(unicodeNames(), emoji_code)) throw new ApiError('Invalid emoji code.')
  if (emojiCode(emoji_name) !== emoji_code) throw new ApiError('Invalid emoji name.')
}

let names: Record<string, string[]> | undefined

function unicodeNames(): Record<string, string[]> {
  names ??= codeToNames()
  return names
}
