import type { MessageObject } from '@parley/api/conversations/messages'
import type { QueueEvent } from '@parley/api/events'
import { deletedIds } from '../store/state.ts'

/** A message as clients show it. One that is being sent has a local id until the server confirms it. */
export interface ShownMessage extends MessageObject {
  local_id?: string
  /** Why it could not be sent. */
  failure?: string
  /** As it was typed, if that is known here. */
  source?: string | undefined
  /** Its author sends the text in parts, and more will follow. */
  isStreaming?: boolean
}

type Event<Type extends QueueEvent['type']> = Extract<QueueEvent, { type: Type }>

/** Messages by id. Events replace the changed objects, so that an unchanged message is the same object. */
export class MessageCache {
  readonly byId = new Map<number, ShownMessage>()

  add(messages: readonly ShownMessage[]): void {
    for (const message of messages) {
      const { source, content } = this.byId.get(message.id) ?? {}
      const isSame = source !== undefined && content === message.content
      this.byId.set(message.id, isSame ? { ...message, source } : message)
    }
  }

  /** Messages come without what was typed, except to those who typed it. */
  setSource(id: number, source: string): void {
    this.#change(id, () => ({ source }))
  }

  apply(event: QueueEvent): void {
    if (event.type === 'message') this.#applyMessage(event)
    if (event.type === 'update_message') this.#applyUpdate(event)
    if (event.type === 'delete_message') for (const id of deletedIds(event)) this.byId.delete(id)
    if (event.type === 'update_message_flags') this.#applyFlags(event)
    if (event.type === 'reaction') this.#applyReaction(event)
    if (event.type === 'submessage') this.#applySubmessage(event)
  }

  #applyMessage({ message, flags }: Event<'message'>): void {
    this.byId.set(message.id, { ...message, flags })
  }

  #change(id: number, change: (message: ShownMessage) => Partial<ShownMessage>): void {
    const message = this.byId.get(id)
    if (message) this.byId.set(id, { ...message, ...change(message) })
  }

  #applyUpdate(event: Event<'update_message'>): void {
    const { message_id, message_ids, rendered_content, subject, new_stream_id, edit_timestamp } = event
    for (const id of message_ids) {
      this.#change(id, () => ({
        ...(subject !== undefined && { subject }),
        ...(new_stream_id !== undefined && { stream_id: new_stream_id }),
      }))
    }
    if (rendered_content === undefined) return
    const isEdit = event.rendering_only !== true
    this.#change(message_id, () => ({
      content: rendered_content,
      source: event.content,
      ...(event.streaming !== undefined && { isStreaming: event.streaming }),
      ...((isEdit || event.streaming === false) && { flags: event.flags }),
      ...(isEdit && edit_timestamp !== undefined && { last_edit_timestamp: edit_timestamp }),
    }))
  }

  #applyFlags(event: Event<'update_message_flags'>): void {
    const ids = 'all' in event && event.all ? [...this.byId.keys()] : event.messages
    for (const id of ids) {
      this.#change(id, ({ flags }) => ({
        flags: (event.op === 'add'
          ? [...new Set([...flags, event.flag])]
          : flags.filter((flag) => flag !== event.flag)) as ShownMessage['flags'],
      }))
    }
  }

  #applyReaction(event: Event<'reaction'>): void {
    const { op, message_id, user_id, emoji_name, emoji_code, reaction_type } = event
    this.#change(message_id, ({ reactions }) => {
      const others = reactions.filter(
        (one) => one.user_id !== user_id || one.emoji_code !== emoji_code || one.reaction_type !== reaction_type,
      )
      const added = { user_id, emoji_name, emoji_code, reaction_type }
      return { reactions: op === 'add' ? [...others, added] : others }
    })
  }

  #applySubmessage({ message_id, submessage_id, sender_id, msg_type, content }: Event<'submessage'>): void {
    const added = { id: submessage_id, message_id, sender_id, msg_type, content }
    this.#change(message_id, ({ submessages }) => ({
      // A message that was loaded at the same moment may contain it already.
      submessages: [...submessages.filter(({ id }) => id !== submessage_id), added],
    }))
  }
}
