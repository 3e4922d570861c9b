import type { QueueEvent } from '@parley/api/events'
import type { DefaultChannelState, Slice, State } from './state.ts'

/** The channels that new users are subscribed to. */
export class DefaultChannels implements Slice {
  readonly fields = ['realm_default_streams'] as const
  ids: readonly number[]

  constructor({ realm_default_streams = [] }: State) {
    this.ids = realm_default_streams
  }

  apply(event: QueueEvent): void {
    if (event.type === 'default_streams') this.ids = event.default_streams
  }

  snapshot(): DefaultChannelState {
    return { realm_default_streams: [...this.ids].sort((a, b) => a - b) }
  }
}
