import type { MessageObject } from '@parley/api/conversations/messages'
import { messageUrl } from '@parley/markdown/inline/links'
import type { Caller } from '../../callers/caller.ts'

type Placed = Pick<MessageObject, 'id' | 'type' | 'stream_id' | 'subject' | 'display_recipient'>

/** Where a message is, as its recipient sees it. */
export type Conversation =
  | { kind: 'channel'; channelId: number; channel: string; topic: string }
  /** Without the viewer, except for messages to oneself. */
  | { kind: 'direct'; people: { id: number; full_name: string }[] }

export function conversationOf({ id }: Pick<Caller, 'id'>, message: Placed): Conversation {
  const { stream_id, subject: topic, display_recipient: place } = message
  return typeof place === 'string'
    ? { kind: 'channel', channelId: stream_id!, channel: place, topic }
    : { kind: 'direct', people: othersOrSelf(place, id) }
}

function othersOrSelf<Person extends { id: number }>(people: Person[], viewer: number): Person[] {
  const others = people.filter(({ id }) => id !== viewer)
  return others.length > 0 ? others : people
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
