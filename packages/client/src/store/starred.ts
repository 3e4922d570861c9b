import type { QueueEvent } from '@parley/api/events'
import type { Channels } from './channels.ts'
import { deletedIds, excluding, including, type Slice, type StarredState, type State } from './state.ts'

/** The viewer's starred messages. */
export class Starred implements Slice {
  readonly events = [
    'delete_message',
    'message',
    'stream',
    'subscription',
    'update_message',
    'update_message_flags',
  ] as const
  readonly fields = ['starred_messages'] as const
  ids: readonly number[]

  readonly #channels: Channels

  constructor({ starred_messages = [] }: State, channels: Channels) {
    this.ids = starred_messages
    this.#channels = channels
  }

  apply(event: QueueEvent): void {
    if (event.type === 'update_message' && this.#channels.isLostBy(event))
      this.ids = excluding(this.ids, event.message_ids)
    if (event.type === 'message' && event.flags.includes('starred')) this.ids = including(this.ids, [event.message.id])
    if (event.type === 'delete_message') this.ids = excluding(this.ids, deletedIds(event))
    if (event.type !== 'update_message_flags' || event.flag !== 'starred') return
    this.ids = event.op === 'add' ? including(this.ids, event.messages) : excluding(this.ids, event.messages)
  }

  snapshot(): StarredState {
    return { starred_messages: [...this.ids] }
  }
}
