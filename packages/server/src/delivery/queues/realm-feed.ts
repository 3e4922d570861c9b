import type { Internal, LogEvent } from '../../events/log.ts'
import type { Vault } from '../../platform/secrets.ts'
import type { Listener } from './listener.ts'
import { BadEventQueueId, isWide } from './queue.ts'
import type { Waiter } from './waiter.ts'
import { type SharedWireEvents, sharedWireEvents, type WireEvent } from './wire-events.ts'

export interface Outcomes {
  delivered(waiter: Waiter, count: number, stillWaits: boolean): void
  failed(waiter: Waiter, error: unknown): void
}

/** Where the client of a queue waits. It stays while the client polls again. */
interface Seat {
  queueId: string
  waiter: Waiter | undefined
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
  /**
   * Seats, not waiters, because those come and go with every poll. A map replaces its table every so often, and each old table
   * refers to the next one: until the next full collection, they would keep nearly all waiters in memory, with their requests.
   */
  readonly #byQueue = new Map<string, Seat>()
  readonly #byUser = new Map<Listener, Seat[]>()
  readonly #wide = new Set<Seat>()
  readonly #vault: Vault

  constructor(vault: Vault) {
    this.#vault = vault
  }

  addListener(listener: Listener): void {
    this.listeners.set(listener.userId, listener)
    for (const channel of listener.openChannels()) this.#index(channel, listener)
  }

  wait(waiter: Waiter): void {
    const seat = this.#byQueue.get(waiter.queue.id) ?? this.#addSeat(waiter)
    seat.waiter = waiter
    this.#unpark(waiter.listener)
  }

  #addSeat({ queue, listener }: Waiter): Seat {
    const seat: Seat = { queueId: queue.id, waiter: undefined }
    this.#byQueue.set(queue.id, seat)
    const others = this.#byUser.get(listener)
    if (others) others.push(seat)
    else this.#byUser.set(listener, [seat])
    if (isWide(queue.options)) this.#wide.add(seat)
    return seat
  }

  stop(waiter: Waiter): void {
    const seat = this.#byQueue.get(waiter.queue.id)
    if (seat?.waiter === waiter) seat.waiter = undefined
  }

  waiterOf(queueId: string): Waiter | undefined {
    return this.#byQueue.get(queueId)?.waiter
  }

  waitingOf(listener: Listener): number {
    let count = 0
    for (const { waiter } of this.#byUser.get(listener) ?? []) if (waiter) count++
    return count
  }

  /** Removes the queues of a listener that have no waiting client, and the listener if that is all of them. */
  dropIfIdle(listener: Listener): void {
    const seats = this.#byUser.get(listener) ?? []
    const taken = seats.filter(({ waiter }) => waiter)
    for (const seat of seats) if (!seat.waiter) this.#removeSeat(seat)
    if (taken.length > 0) return void this.#byUser.set(listener, taken)
    this.#byUser.delete(listener)
    this.listeners.delete(listener.userId)
    for (const channel of listener.openChannels()) this.#byChannel.get(channel)?.delete(listener)
    this.#parked.delete(listener)
  }

  #removeSeat(seat: Seat): void {
    this.#byQueue.delete(seat.queueId)
    this.#wide.delete(seat)
  }

  *waiters(): Iterable<Waiter> {
    for (const { waiter } of this.#byQueue.values()) if (waiter) yield waiter
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
    if (this.waiterOf(waiter.queue.id) !== waiter) return
    try {
      waiter.last = wire.at(-1)!.id
      const stillWaits = waiter.give(wire)
      if (!stillWaits) this.stop(waiter)
      on.delivered(waiter, wire.length, stillWaits)
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
    if (audience.realm || audience.admins) return void eachWaiter(this.#byQueue.values(), act)
    const inChannel = audience.channel !== undefined ? this.#byChannel.get(audience.channel) : undefined
    const isNamed = (listener: Listener) => audience.users?.includes(listener.userId) || inChannel?.has(listener)
    if (audience.public) eachWaiter(this.#wide, (waiter) => !isNamed(waiter.listener) && act(waiter))
    for (const listener of inChannel ?? []) {
      if (!eachWaiter(this.#byUser.get(listener), act)) this.#park(listener, audience.channel!)
    }
    for (const id of audience.users ?? []) {
      const listener = this.listeners.get(id)
      if (listener && !inChannel?.has(listener)) eachWaiter(this.#byUser.get(listener), act)
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
      eachWaiter(this.#byUser.get(listener), (waiter) => this.#fail(waiter, error, on))
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
    const waiter = this.waiterOf(queueId)
    if (!waiter) return
    this.stop(waiter)
    waiter.end(new BadEventQueueId(queueId))
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

/** Returns whether anybody waits there. */
function eachWaiter(seats: Iterable<Seat> | undefined, act: (waiter: Waiter) => void): boolean {
  let isAny = false
  for (const { waiter } of seats ?? []) {
    if (!waiter) continue
    isAny = true
    act(waiter)
  }
  return isAny
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
