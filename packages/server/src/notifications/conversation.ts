import type { MessageObject } from '@parley/api/messages'
import { messageUrl } from '@parley/markdown/links'
import type { Caller } from '../users/caller.ts'

type Placed = Pick<MessageObject, 'id' | 'type' | 'stream_id' | 'subject' | 'display_recipient'>

/** Where a message is, as its recipient sees it. */
export type Conversation =
  | { kind: 'channel'; channelId: number; channel: string; topic: string }
  /** Without the viewer. */
  | { kind: 'direct'; people: { id: number; full_name: string }[] }

export function conversationOf({ id }: Pick<Caller, 'id'>, message: Placed): Conversation {
  const { stream_id, subject: topic, display_recipient: place } = message
  return typeof place === 'string'
    ? { kind: 'channel', channelId: stream_id!, channel: place, topic }
    : { kind: 'direct', people: place.filter((person) => person.id !== id) }
}

/** What opens a message in its conversation, relative to the URL of the realm. */
export function hashOf(conversation: Conversation, messageId: number): string {
  if (conversation.kind === 'direct') return `${directHash(conversation.people)}/near/${messageId}`
  const { channelId, channel, topic } = conversation
  return messageUrl(channelId, channel, topic, messageId).slice(1)
}

/** The same without any name. */
export function namelessHashOf(conversation: Conversation, messageId: number): string {
  const place =
    conversation.kind === 'direct' ? directHash(conversation.people) : `#narrow/channel/${conversation.channelId}`
  return `${place}/near/${messageId}`
}

function directHash(people: { id: number }[]): string {
  return `#narrow/dm/${people.map(({ id }) => id).join()}-dm`
}
