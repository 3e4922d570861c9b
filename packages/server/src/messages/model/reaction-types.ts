/** How an emoji is named: by its code in the namespace of its type. */
interface EmojiFields {
  emoji_name?: string
  emoji_code?: string
  reaction_type?: string
}

/** The built-in extra emoji as the client knows it: Zulip's clients have their own name for it. Name and code agree. */
export function shownEmoji<E extends EmojiFields>(emoji: E, isZulipClient: boolean): E {
  if (emoji.reaction_type !== 'service_extra_emoji') return emoji
  const name = isZulipClient ? 'zulip' : 'service'
  return { ...emoji, emoji_name: name, emoji_code: name, reaction_type: `${name}_extra_emoji` }
}
