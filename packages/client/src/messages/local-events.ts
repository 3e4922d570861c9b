import type { QueueEvent } from '@parley/api/events'
import type { ShownMessage } from './cache.ts'

type Op = 'add' | 'remove'
type Event<Type extends QueueEvent['type']> = Extract<QueueEvent, { type: Type }>

/** A change that the viewer makes, as the server's event will report it, and the change back. */
export interface LocalChange {
  now: QueueEvent
  back: QueueEvent
}

export function flagChange(op: Op, flag: string, messages: number[]): LocalChange {
  const event = (kind: Op) => ({ type: 'update_message_flags', op: kind, flag, messages, all: false })
  return both(event, op)
}

export function deletion({ flags, ...message }: ShownMessage): LocalChange {
  return {
    now: { type: 'delete_message', message_ids: [message.id] } as unknown as QueueEvent,
    back: { type: 'message', message, flags } as unknown as QueueEvent,
  }
}

export function edit(
  { id, flags, content: html, source }: ShownMessage,
  newSource: string,
  newHtml: string,
): LocalChange {
  const event = (content: string | undefined, rendered_content: string) =>
    ({ type: 'update_message', message_id: id, message_ids: [id], flags, content, rendered_content }) as QueueEvent
  return { now: event(newSource, newHtml), back: event(source, html) }
}

export function reactionChange(
  op: Op,
  message_id: number,
  user_id: number,
  emoji: Pick<Event<'reaction'>, 'emoji_name' | 'emoji_code'> & { reaction_type: string },
): LocalChange {
  return both((kind) => ({ type: 'reaction', op: kind, message_id, user_id, ...emoji }), op)
}

function both(event: (op: Op) => object, op: Op): LocalChange {
  return { now: event(op) as QueueEvent, back: event(op === 'add' ? 'remove' : 'add') as QueueEvent }
}
