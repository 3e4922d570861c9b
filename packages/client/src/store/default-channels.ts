import type { DefaultChannelGroup } from '@parley/api/conversations/default-channel-groups'
import type { QueueEvent } from '@parley/api/events'
import type { DefaultChannelState, Slice, State } from './state.ts'

/** The channels that new users are subscribed to, and the groups of channels that they can choose. */
export class DefaultChannels implements Slice {
  readonly events = ['default_stream_groups', 'default_streams'] as const
  readonly fields = ['realm_default_streams', 'realm_default_stream_groups'] as const
  ids: readonly number[]
  groups: readonly DefaultChannelGroup[]

  constructor({ realm_default_streams = [], realm_default_stream_groups = [] }: State) {
    this.ids = realm_default_streams
    this.groups = realm_default_stream_groups
  }

  apply(event: QueueEvent): void {
    if (event.type === 'default_streams') this.ids = event.default_streams
    if (event.type === 'default_stream_groups') this.groups = event.default_stream_groups
  }

  snapshot(): DefaultChannelState {
    return {
      realm_default_streams: [...this.ids].sort((a, b) => a - b),
      realm_default_stream_groups: [...this.groups],
    }
  }
}
