import type { ShownMessage } from '@parley/client/messages/cache'
import { othersOf } from '@parley/client/messages/narrow'
import { topicKey } from '@parley/client/store/topics'
import { dayOf } from '../platform/times.ts'
import { isAction } from '../rendered/plain-text.ts'

/** A message of the feed with what stands above it. */
export interface Row {
  message: ShownMessage
  isLead: boolean
  startsDay: boolean
  startsUnread: boolean
  /** The first message of another conversation, in feeds of several. */
  startsConversation: boolean
}

const groupSeconds = 300

export interface RowOptions {
  viewerId: number
  /** The feed shows several conversations, each under its heading. */
  isMixed: boolean
  /** The first unread message when the feed was opened. */
  firstUnread: number | undefined
}

/** The row of the message at this index. */
export function rowAt(
  messages: readonly ShownMessage[],
  index: number,
  { viewerId, isMixed, firstUnread }: RowOptions,
): Row {
  const message = messages[index]!
  const before = messages[index - 1]
  const startsDay = !before || dayOf(before.timestamp) !== dayOf(message.timestamp)
  const startsConversation =
    isMixed && (!before || conversationKey(before, viewerId) !== conversationKey(message, viewerId))
  const startsUnread = message.id === firstUnread
  const isSameGroup =
    before?.sender_id === message.sender_id &&
    message.timestamp - before.timestamp < groupSeconds &&
    // An action has the name in its line, and none above it.
    (isAction(message.content) || !isAction(before.content))
  return {
    message,
    startsDay,
    startsConversation,
    startsUnread,
    isLead: startsDay || startsConversation || startsUnread || !isSameGroup,
  }
}

/** The same text for messages of the same conversation. */
export function conversationKey(message: ShownMessage, viewerId: number): string {
  return message.type === 'stream'
    ? topicKey(message.stream_id!, message.subject)
    : `dm ${othersOf(message, viewerId).join()}`
}
