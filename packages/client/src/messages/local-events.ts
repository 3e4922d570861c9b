import type { QueueEvent } from '@parley/api/events'
import type { ShownMessage } from './cache.ts'

type Op = 'add' | 'remove'
type Event<Type extends QueueEvent['type']> = Extract<QueueEvent, { type: Type }>

/** A change that the viewer makes, as the server's event will report it, and the change back. */
export interface LocalChange {
  now: QueueEvent
  back: QueueEvent
}

/** They have no number in the server's log. */
const local = { id: -1 }

export function flagChange(op: Op, flag: string, messages: number[]): LocalChange {
  return both(
    (kind) => ({ ...local, type: 'update_message_flags', op: kind, operation: kind, flag, messages, all: false }),
    op,
  )
}

export function deletion({ flags, ...message }: ShownMessage): LocalChange {
  return {
    now: { ...local, type: 'delete_message', message_type: message.type, message_ids: [message.id] },
    back: { ...local, type: 'message', message, flags },
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
  emoji: Pick<Event<'reaction'>, 'emoji_name' | 'emoji_code' | 'reaction_type'>,
): LocalChange {
  const user = { user_id, email: '', full_name: '' } // an older form, which nothing here reads
  return both((kind) => ({ ...local, type: 'reaction', op: kind, message_id, user_id, user, ...emoji }), op)
}

function both(event: (op: Op) => QueueEvent, op: Op): LocalChange {
  return { now: event(op), back: event(op === 'add' ? 'remove' : 'add') }
}
