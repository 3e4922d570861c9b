import type { MessageFlag } from '@parley/api/conversations/messages'

/** The bits of message_flags.flags. `read` and `unread` are exceptions to the read floor of the conversation. */
export const flagBits = {
  read: 1,
  unread: 2,
  starred: 4,
  collapsed: 8,
  mentioned: 16,
  topic_wildcard_mentioned: 32,
  has_alert_word: 64,
  historical: 128,
  received: 256, // the user received the message by a move, not by subscription
  stream_wildcard_mentioned: 512, // like messages.mentions_channel, for users who received the message by a move
} as const

/** The stored bits that clients see as flags, in the order in which we list them. */
export const storedFlags = [
  'starred',
  'collapsed',
  'mentioned',
  'topic_wildcard_mentioned',
  'has_alert_word',
  'historical',
] as const

/** Adds the legacy flag that covers both kinds of wildcard mention. */
export function withLegacyFlags(flags: string[]): MessageFlag[] {
  const wildcard = flags.includes('stream_wildcard_mentioned') || flags.includes('topic_wildcard_mentioned')
  return (wildcard ? [...flags, 'wildcard_mentioned'] : flags) as MessageFlag[]
}
