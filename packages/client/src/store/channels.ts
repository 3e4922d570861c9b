import type { ChannelObject } from '@parley/api/conversations/channels'
import type { SubscriptionObject } from '@parley/api/conversations/subscriptions'
import type { QueueEvent } from '@parley/api/events'
import { deactivatedUser, withoutHolder } from './departures.ts'
import { type ChannelState, excluding, including, type Slice, type State } from './state.ts'

/** A channel that the viewer never subscribed to. */
export type KnownChannel = ChannelState['never_subscribed'][number]

type Event<Type extends QueueEvent['type']> = Extract<QueueEvent, { type: Type }>

/** The channels visible to the viewer, and their subscribers. */
export class Channels implements Slice {
  readonly events = ['realm_user', 'stream', 'subscription'] as const
  readonly fields = ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'] as const
  readonly byId = new Map<number, ChannelObject>()
  /** Channels that the viewer is subscribed to. */
  readonly subscribed = new Map<number, SubscriptionObject>()
  /** Channels that the viewer unsubscribed from. */
  readonly left = new Map<number, SubscriptionObject>()
  readonly neverSubscribed = new Map<number, KnownChannel>()
  readonly #viewer: number | undefined
  /** Whether subscribers were requested, as far as the response shows it. */
  readonly #tellsSubscribers: boolean

  constructor({ streams = [], subscriptions = [], unsubscribed = [], never_subscribed = [], user_id }: State) {
    this.#viewer = user_id
    for (const channel of streams) this.byId.set(channel.stream_id, channel)
    for (const channel of subscriptions) this.subscribed.set(channel.stream_id, channel)
    for (const channel of unsubscribed) this.left.set(channel.stream_id, channel)
    for (const channel of never_subscribed) this.neverSubscribed.set(channel.stream_id, channel)
    const [sample] = [...subscriptions, ...unsubscribed, ...never_subscribed]
    this.#tellsSubscribers = sample === undefined || (sample.subscribers ?? sample.partial_subscribers) !== undefined
  }

  apply(event: QueueEvent): void {
    const gone = deactivatedUser(event)
    if (gone !== undefined) this.#forget(gone)
    if (event.type === 'stream') this.#applyChannel(event)
    if (event.type === 'subscription') this.#applySubscription(event)
  }

  #applyChannel(event: Event<'stream'>): void {
    switch (event.op) {
      case 'create':
        for (const channel of event.streams) this.#appear(channel)
        break
      case 'delete':
        for (const id of event.stream_ids) this.#disappear(id)
        break
      case 'update':
        this.#change(event.stream_id, changedFields(event))
        break
    }
  }

  /** Whether the viewer lost messages: they moved from a channel of the viewer to one without a subscription. */
  isLostBy({ stream_id, new_stream_id }: Extract<QueueEvent, { type: 'update_message' }>): boolean {
    if (new_stream_id === undefined || this.subscribed.has(new_stream_id)) return false
    return this.subscribed.has(stream_id!) || this.left.has(stream_id!)
  }

  #appear(channel: ChannelObject): void {
    this.byId.set(channel.stream_id, channel)
    if (this.subscribed.has(channel.stream_id) || this.left.has(channel.stream_id)) return
    const known = this.#tellsSubscribers ? { ...channel, subscribers: [] } : channel
    this.neverSubscribed.set(channel.stream_id, known)
  }

  #change(id: number, change: Partial<ChannelObject>): void {
    for (const map of this.#maps) {
      const channel = map.get(id)
      if (channel) map.set(id, { ...channel, ...change })
    }
  }

  get #maps(): Map<number, ChannelObject>[] {
    return [this.byId, this.subscribed, this.left, this.neverSubscribed]
  }

  #disappear(id: number): void {
    for (const map of [this.byId, this.subscribed, this.left, this.neverSubscribed]) map.delete(id)
  }

  #applySubscription(event: Event<'subscription'>): void {
    switch (event.op) {
      case 'add':
        for (const subscription of event.subscriptions) this.#join(subscription)
        break
      case 'remove':
        for (const { stream_id } of event.subscriptions) this.#leave(stream_id)
        break
      case 'peer_add':
        this.#changeSubscribers(event.stream_ids, (list) => including(list, event.user_ids))
        break
      case 'peer_remove':
        this.#changeSubscribers(event.stream_ids, (list) => excluding(list, event.user_ids))
        break
      case 'update':
        this.#changeOwn(event.stream_id, { [event.property]: event.value })
        break
    }
  }

  #changeOwn(id: number, change: Partial<SubscriptionObject>): void {
    const subscription = this.subscribed.get(id)
    if (subscription) this.subscribed.set(id, { ...subscription, ...change })
  }

  /** Removes a deactivated user from the subscribers of all channels. */
  #forget(user: number): void {
    for (const map of [this.byId, this.subscribed, this.left, this.neverSubscribed])
      for (const [id, channel] of map)
        map.set(
          id,
          withSubscribers(withoutHolder(channel, user), (list) => excluding(list, [user])),
        )
  }

  #join(subscription: SubscriptionObject): void {
    const id = subscription.stream_id
    this.neverSubscribed.delete(id)
    this.left.delete(id)
    this.subscribed.set(id, subscription)
  }

  #leave(id: number): void {
    const subscription = this.subscribed.get(id)
    if (!subscription) return
    this.subscribed.delete(id)
    this.left.set(
      id,
      withSubscribers(subscription, (list) => excluding(list, [this.#viewer!])),
    )
  }

  #changeSubscribers(ids: number[], change: (list: number[]) => number[]): void {
    for (const id of ids) {
      for (const map of [this.subscribed, this.left, this.neverSubscribed]) {
        const channel = map.get(id)
        if (channel) map.set(id, withSubscribers(channel, change))
      }
    }
  }

  snapshot(): ChannelState {
    return {
      streams: byName(this.byId),
      subscriptions: byName(this.subscribed),
      unsubscribed: byName(this.left),
      never_subscribed: byName(this.neverSubscribed),
    }
  }
}

type ChannelUpdate = Extract<QueueEvent, { type: 'stream'; op: 'update' }>

/** The changed fields. `name` in the event is the old name. */
function changedFields(event: ChannelUpdate): Partial<ChannelObject> {
  const { id: _, type: __, op: ___, stream_id: ____, name: _____, property, value, ...more } = event
  return { ...more, [property]: value }
}

function withSubscribers<C extends KnownChannel>(channel: C, change: (list: number[]) => number[]): C {
  if (channel.partial_subscribers) return { ...channel, partial_subscribers: change(channel.partial_subscribers) }
  return channel.subscribers ? { ...channel, subscribers: change(channel.subscribers) } : channel
}

function byName<C extends ChannelObject>(channels: Map<number, C>): C[] {
  return [...channels.values()].sort((a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
