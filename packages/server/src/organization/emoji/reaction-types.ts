/** How the API identifies an emoji: by its code in the namespace of its type. */
interface EmojiFields {
  emoji_name?: string
  emoji_code?: string
  reaction_type?: string
}

/** Translates the built-in extra emoji for the client: Zulip's clients expect `zulip` as its name and code. */
export function shownEmoji<E extends EmojiFields>(emoji: E, isZulipClient: boolean): E {
  if (emoji.reaction_type !== 'service_extra_emoji') return emoji
  const name = isZulipClient ? 'zulip' : 'service'
  return { ...emoji, emoji_name: name, emoji_code: name, reaction_type: `${name}_extra_emoji` }
}
