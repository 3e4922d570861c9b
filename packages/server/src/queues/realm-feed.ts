import type { Internal, LogEvent } from '../events/log.ts'
import type { Vault } from '../platform/secrets.ts'
import type { Listener } from './listener.ts'
import { BadEventQueueId, isWide } from './queue.ts'
import type { Waiter } from './waiter.ts'
import { type SharedWireEvents, sharedWireEvents, type WireEvent } from './wire-events.ts'

export interface Outcomes {
  delivered(waiter: Waiter, count: number): void
  failed(waiter: Waiter, error: unknown): void
}

/**
 * The clients of one realm that wait in this process. Indexes waiters by user and by subscribed channel, so that an event
 * is checked only against the waiters it may concern. Events for the whole realm are checked against all.
 */
export class RealmFeed {
  readonly listeners = new Map<number, Listener>()
  readonly #byChannel = new Map<number, Set<Listener>>()
  /** Channels from whose index a listener was removed because no client of it was waiting. */
  readonly #parked = new Map<Listener, Set<number>>()
  /** By user, with an empty set where no client waits at the moment. */
  readonly #waiters = new Map<Listener, Set<Waiter>>()
  readonly #byQueue = new Map<string, Waiter>()
  readonly #wide = new Set<Waiter>()
  readonly #vault: Vault

  constructor(vault: Vault) {
    this.#vault = vault
  }

  addListener(listener: Listener): void {
    this.listeners.set(listener.userId, listener)
    for (const channel of listener.openChannels()) this.#index(channel, listener)
  }

  wait(waiter: Waiter): void {
    this.#byQueue.set(waiter.queue.id, waiter)
    const others = this.#waiters.get(waiter.listener)
    if (others) others.add(waiter)
    else this.#waiters.set(waiter.listener, new Set([waiter]))
    this.#unpark(waiter.listener)
    if (isWide(waiter.queue.options)) this.#wide.add(waiter)
  }

  stop(waiter: Waiter): void {
    if (this.#byQueue.get(waiter.queue.id) === waiter) this.#byQueue.delete(waiter.queue.id)
    this.#waiters.get(waiter.listener)?.delete(waiter)
    this.#wide.delete(waiter)
  }

  waiterOf(queueId: string): Waiter | undefined {
    return this.#byQueue.get(queueId)
  }

  waitingOf(listener: Listener): number {
    return this.#waiters.get(listener)?.size ?? 0
  }

  /** Removes a listener that has no waiting clients. */
  dropIfIdle(listener: Listener): void {
    if (this.waitingOf(listener) > 0) return
    this.#waiters.delete(listener)
    this.listeners.delete(listener.userId)
    for (const channel of listener.openChannels()) this.#byChannel.get(channel)?.delete(listener)
    this.#parked.delete(listener)
  }

  get waiters(): Iterable<Waiter> {
    return this.#byQueue.values()
  }

  get size(): number {
    return this.#byQueue.size
  }

  get isIdle(): boolean {
    return this.listeners.size === 0
  }

  /** Delivers the next events of the log to the waiting clients in their audiences. */
  take(events: LogEvent[], on: Outcomes): void {
    const due = new Map<Waiter, WireEvent[]>()
    for (const event of events) {
      if (event.internal) this.#applyInternal(event, on)
      const shared: SharedWireEvents = new Map()
      this.#eachConcerned(event, (waiter) => {
        try {
          collect(waiter, event, due, this.#vault, shared)
        } catch (error) {
          this.#fail(waiter, error, on)
        }
      })
    }
    for (const [waiter, wire] of due) this.#deliver(waiter, wire, on)
  }

  #deliver(waiter: Waiter, wire: WireEvent[], on: Outcomes): void {
    // Clients of queues that ended in this batch are already answered.
    if (this.#byQueue.get(waiter.queue.id) !== waiter) return
    try {
      waiter.last = wire.at(-1)!.id
      if (!waiter.give(wire)) this.stop(waiter)
      on.delivered(waiter, wire.length)
    } catch (error) {
      this.#fail(waiter, error, on)
    }
  }

  /** Ends a queue that cannot be served. Other queues are not affected. */
  #fail(waiter: Waiter, error: unknown, on: Outcomes): void {
    this.stop(waiter)
    on.failed(waiter, error)
  }

  #eachConcerned({ audience }: LogEvent, act: (waiter: Waiter) => void): void {
    if (audience.realm || audience.admins) return void this.#byQueue.forEach(act)
    const inChannel = audience.channel !== undefined ? this.#byChannel.get(audience.channel) : undefined
    const isNamed = (listener: Listener) => audience.users?.includes(listener.userId) || inChannel?.has(listener)
    if (audience.public) for (const waiter of this.#wide) if (!isNamed(waiter.listener)) act(waiter)
    for (const listener of inChannel ?? []) {
      const waiters = this.#waiters.get(listener)
      if (waiters && waiters.size > 0) waiters.forEach(act)
      else this.#park(listener, audience.channel!)
    }
    for (const id of audience.users ?? []) {
      const listener = this.listeners.get(id)
      if (listener && !inChannel?.has(listener)) this.#waiters.get(listener)?.forEach(act)
    }
  }

  #applyInternal({ seq, internal }: LogEvent, on: Outcomes): void {
    const { joined = [], left = [], ended_queues = [] } = internal!
    const named = [...joined, ...left]
      .flatMap(({ user_ids }) => user_ids)
      .concat(Object.keys(internal!.roles ?? {}).map(Number))
    this.#each([...new Set(named)], (listener) => this.#apply(listener, seq, internal!, on))
    for (const { channel_id, user_ids } of joined) this.#each(user_ids, (listener) => this.#index(channel_id, listener))
    for (const { channel_id, user_ids } of left)
      this.#each(user_ids, (listener) => this.#removeFrom(channel_id, listener))
    for (const id of ended_queues) this.#end(id)
  }

  /** Applies a change to a listener. If that fails, the listener's state is unknown: its queues end and it is reloaded. */
  #apply(listener: Listener, seq: number, internal: Internal, on: Outcomes): void {
    try {
      listener.apply(seq, internal)
    } catch (error) {
      for (const waiter of [...(this.#waiters.get(listener) ?? [])]) this.#fail(waiter, error, on)
      this.dropIfIdle(listener)
    }
  }

  #each(userIds: number[], act: (listener: Listener) => void): void {
    for (const id of userIds) {
      const listener = this.listeners.get(id)
      if (listener) act(listener)
    }
  }

  #end(queueId: string): void {
    const waiter = this.#byQueue.get(queueId)
    if (!waiter) return
    this.stop(waiter)
    waiter.refuse(new BadEventQueueId(queueId))
  }

  /** After many clients have disconnected, only the first event of a channel goes through all of them. */
  #park(listener: Listener, channel: number): void {
    this.#byChannel.get(channel)!.delete(listener)
    const parked = this.#parked.get(listener)
    if (parked) parked.add(channel)
    else this.#parked.set(listener, new Set([channel]))
  }

  #unpark(listener: Listener): void {
    for (const channel of this.#parked.get(listener) ?? []) this.#index(channel, listener)
    this.#parked.delete(listener)
  }

  #removeFrom(channel: number, listener: Listener): void {
    this.#byChannel.get(channel)?.delete(listener)
    this.#parked.get(listener)?.delete(channel)
  }

  #index(channel: number, listener: Listener): void {
    const known = this.#byChannel.get(channel)
    if (known) known.add(listener)
    else this.#byChannel.set(channel, new Set([listener]))
  }
}

function collect(
  waiter: Waiter,
  event: LogEvent,
  due: Map<Waiter, WireEvent[]>,
  vault: Vault,
  shared: SharedWireEvents,
): void {
  const match = waiter.listener.receives(event, waiter.queue)
  if (!match) return
  const wire = newerThan(waiter.last, sharedWireEvents(event, waiter.queue, match === 'received', vault, shared))
  if (wire.length === 0) return
  const known = due.get(waiter)
  if (known) known.push(...wire)
  else due.set(waiter, [...wire])
}

/** A client that polled another process before may be ahead of this process. */
function newerThan(last: number, wire: WireEvent[]): WireEvent[] {
  const [first] = wire
  return first && first.id > last ? wire : wire.filter(({ id }) => id > last)
}
