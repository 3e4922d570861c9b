import type { reactionTypes } from '@parley/api/messages'
import { codeToNames, emojiCode, extraEmoji } from '@parley/markdown/emoji'
import { ApiError } from '../platform/http/api-error.ts'

export type ReactionType = (typeof reactionTypes)[number]

/** An emoji as a reaction names it: by its code in the namespace of its type. */
export interface Emoji {
  emoji_name: string
  emoji_code: string
  reaction_type: ReactionType
}

/** The name and the code that the built-in extra emoji is stored by. */
const extraName = 'service'

/** The type under the one name it is stored by. */
export function storedType(type: ReactionType | 'zulip_extra_emoji'): ReactionType {
  return type === 'zulip_extra_emoji' ? 'service_extra_emoji' : type
}

/** A name or a code under which the emoji is stored: the built-in extra one has an alias for both. */
export function storedCode(type: ReactionType, code: string): string {
  return type === 'service_extra_emoji' && extraEmoji.has(code) ? extraName : code
}

/** The built-in emoji with this name: the extra one goes before those of Unicode. */
export function builtInEmoji(emoji_name: string): Emoji | undefined {
  if (extraEmoji.has(emoji_name))
    return { emoji_name: extraName, emoji_code: extraName, reaction_type: 'service_extra_emoji' }
  const code = emojiCode(emoji_name)
  return code === undefined ? undefined : { emoji_name, emoji_code: code, reaction_type: 'unicode_emoji' }
}

/** Throws unless the name is one of the built-in emoji with the code. */
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
