import type { QueueEvent } from '@parley/api/events'
import type { EmojiState, Slice, State } from './state.ts'

/** The realm's custom emoji. */
export class Emoji implements Slice {
  readonly events = ['realm_emoji'] as const
  readonly fields = ['realm_emoji'] as const
  #byId: EmojiState['realm_emoji']

  constructor({ realm_emoji = {} }: State) {
    this.#byId = realm_emoji
  }

  get byId(): EmojiState['realm_emoji'] {
    return this.#byId
  }

  apply(event: QueueEvent): void {
    if (event.type === 'realm_emoji') this.#byId = event.realm_emoji
  }

  snapshot(): EmojiState {
    return { realm_emoji: this.#byId }
  }
}
