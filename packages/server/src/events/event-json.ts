import type { MessageObject } from '@parley/api/conversations/messages'
import type { ServerEvent } from '@parley/api/events'

declare const content: unique symbol
/** A value as JSON text. The type says what it was made of. */
export type Json<T> = string & { readonly [content]?: T }

export function toJson<T>(value: T): Json<T> {
  return JSON.stringify(value)
}

export function fromJson<T>(text: Json<T>): T {
  return JSON.parse(text) as T
}

/** An object with this field, whose value is written already. */
export function fieldOf<Name extends string, T>(name: Name, value: Json<T>): Json<Record<Name, T>> {
  return `{${JSON.stringify(name)}:${value}}`
}

/** The fields of two objects, the first of which has some. Neither is parsed: one of them is written for many recipients. */
export function joined<A extends object, B extends object>(first: Json<A>, second: Json<B>): Json<A & B> {
  return second === '{}' ? (first as string) : `${first.slice(0, -1)},${second.slice(1)}`
}

/** The same where the database has written the first fields: `{"id":7,`. */
export function withHead<T extends object>(head: string, rest: Json<T>): Json<T> {
  return head + rest.slice(1)
}

/** What the log knows about events beyond what clients receive. */
interface Hints {
  /** What clients need that see unarchiving as creation. */
  stream: { channel?: object }
  /** Sent after unarchiving, to clients that saw the archived channel as deleted. */
  subscription: { isUnarchived?: boolean }
  /** Only for clients that expect a complete user list. */
  realm_user: { placeholder?: boolean }
  user_group: { of_deactivated_group?: boolean }
}

export type EventName = ServerEvent['type']
/** An event as the log has it: `tx.emit` writes it, and `delivery/queues/wire-events.ts` writes it for each kind of client. */
export type StoredEvent<Name extends EventName = EventName> = Name extends EventName
  ? Extract<ServerEvent, { type: Name }> & (Name extends keyof Hints ? Hints[Name] : unknown)
  : never

/** What the log has of a message that was sent, before the database adds what only it knows. */
export interface ComposedMessage {
  type: 'stream' | 'private'
  sender_id: number
  sender_email: string
  sender_full_name: string
  sender_realm_str: string
  avatar_url: string
  avatar_is_public_gravatar: boolean
  client: string
  content: string
  rendered_content: string
  display_recipient: string | { id: number; email: string; full_name: string; is_mirror_dummy: boolean }[]
  stream_id: number | undefined
  topic_links: { text: string; url: string }[]
  is_me_message: boolean
  reactions: MessageObject['reactions']
  submessages: object[]
  /** How it notifies, if not as usual. */
  silent?: true
  notify_anyway?: true
}

/** A message as the log has it. */
export interface StoredMessage extends ComposedMessage {
  id: number
  subject: string
}
