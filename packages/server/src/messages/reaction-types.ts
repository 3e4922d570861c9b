import type { MessageObject } from '@parley/api/messages'

type ReactionType = MessageObject['reactions'][number]['reaction_type']

/** The type as the client knows it: Zulip's clients have their own name for the built-in extra emoji. */
export function shownReactionType(type: ReactionType, isZulipClient: boolean): ReactionType {
  return type === 'service_extra_emoji' && isZulipClient ? 'zulip_extra_emoji' : type
}
