import type { MessageFlag } from '@parley/api/messages'

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
  received: 256, // came to the reader otherwise than by subscription: with a move
  stream_wildcard_mentioned: 512, // beside messages.mentions_channel: for those to whom it came with a move
} as const

/** Which of the stored bits are flags as clients know them, in the order they are listed. */
export const storedFlags = [
  'starred',
  'collapsed',
  'mentioned',
  'topic_wildcard_mentioned',
  'has_alert_word',
  'historical',
] as const

/** Adds the older name that covers both kinds of wildcard mention. */
export function withLegacyFlags(flags: string[]): MessageFlag[] {
  const wildcard = flags.includes('stream_wildcard_mentioned') || flags.includes('topic_wildcard_mentioned')
  return (wildcard ? [...flags, 'wildcard_mentioned'] : flags) as MessageFlag[]
}
