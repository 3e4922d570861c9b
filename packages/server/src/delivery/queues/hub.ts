import type { FastifyBaseLogger } from 'fastify'
import { toJson } from '../../events/event-json.ts'
import type { Follower } from '../../events/following/follower.ts'
import type { LogEvent } from '../../events/log.ts'
import { batched } from '../../platform/batch-loader.ts'
import type { Database } from '../../platform/db/pool.ts'
import { ApiError, ServiceUnavailable } from '../../platform/http/api-error.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Vault } from '../../platform/secrets.ts'
import { eventId, heartbeatId, seqOf } from './event-id.ts'
import { Heartbeats } from './heartbeats.ts'
import { type Listener, type ListenerKey, loadListeners } from './listener.ts'
import { BadEventQueueId, positionOf, type Queue } from './queue.ts'
import { readTrimmed } from './queue-store.ts'
import { RealmFeed } from './realm-feed.ts'
import { type Poll, QueueRegistry, type RegistryDeps } from './registry.ts'
import { Touches } from './touches.ts'
import type { QueuePosition, Waiter } from './waiter.ts'
import { becomesSeveral, type WireEvent, wireEvents } from './wire-events.ts'

const forgetMilliseconds = 60_000
const maxPollsPerUser = 20
/** Limit for one response; the client polls again for the rest. */
const maxEventsPerResponse = 2000
/** An epoch may begin while a place is looked up, but not again and again. */
const placeAttempts = 5

type WaiterFor = (place: QueuePosition) => Waiter

class TooManyPolls extends ApiError {
  constructor() {
    super('Too many event queues are being polled at once.', 'RATE_LIMIT_HIT', {
      fields: { 'retry-after': 1 },
      headers: { 'Retry-After': '1' },
    })
  }
}

export interface HubDeps extends RegistryDeps {
  follower: Follower
  metrics: Metrics
  vault: Vault
  /** Deletes the queues of a realm that were last polled in an earlier epoch of the log. */
  endOldEpochs(realmId: number): Promise<unknown>
}

/** Serves event queues. Any process can serve any queue, because everything here can be loaded from the database again. */
export class QueueHub {
  readonly #db: Database
  readonly #follower: Follower
  readonly #metrics: Metrics
  readonly #vault: Vault
  readonly #log: FastifyBaseLogger
  readonly #queues: QueueRegistry
  /** Batched, because after a restart the polls of all clients arrive at once. */
  readonly #loadListener: (key: ListenerKey) => Promise<Listener>
  readonly #feeds = new Map<number, RealmFeed>()
  readonly #touches: Touches
  readonly #heartbeats: Heartbeats
  readonly #forgetter: NodeJS.Timeout

  constructor(deps: HubDeps, heartbeatSeconds?: number) {
    const { db, follower, metrics, vault, log, endOldEpochs } = deps
    this.#vault = vault
    this.#log = log
    this.#queues = new QueueRegistry(deps, (realmId) => follower.epoch(realmId))
    this.#heartbeats = new Heartbeats(
      () => this.#waiting(),
      (waiter) => this.#beat(waiter),
      heartbeatSeconds,
    )
    this.#db = db
    this.#loadListener = batched((keys) => loadListeners(db, keys))
    this.#follower = follower
    this.#metrics = metrics
    follower.onEvents((realmId, events) => this.#take(realmId, events))
    follower.onGap((realmId) => this.#forget(realmId))
    follower.onIdle((realmId) => !this.#feeds.has(realmId))
    follower.onLoss((realmId) => void endOldEpochs(realmId).catch(() => {}))
    metrics.observeWaiting(() => [...this.#waiting()].length)
    this.#forgetter = setInterval(() => this.#forgetIdle(), forgetMilliseconds)
    this.#touches = new Touches(db)
  }

  /**
   * Returns the events a client has not seen. If there are none, the waiter from `waiterFor` starts to wait in the same
   * tick, so that no event is missed in between. Throws if the user has no such queue. Synchronous if everything is in
   * memory.
   */
  read(poll: Poll, waiterFor?: WaiterFor): WireEvent[] | Promise<WireEvent[]> {
    const place = this.#cachedPlace(poll)
    return place ? this.#readAt(place, waiterFor) : this.place(poll).then((found) => this.#readAt(found, waiterFor))
  }

  #readAt(place: QueuePosition, waiterFor: WaiterFor | undefined): WireEvent[] | Promise<WireEvent[]> {
    this.#touches.add(place)
    const found = this.#collect(place, () => waiterFor && this.#wait(place, waiterFor))
    return found instanceof Promise ? found.then((events) => events ?? []) : (found ?? [])
  }

  /** The position of a client in its queue. */
  async place(poll: Poll): Promise<QueuePosition> {
    for (let attempt = 0; attempt < placeAttempts; attempt++) {
      const queue = await this.#queues.find(poll)
      const feed = await this.#feedOf(queue)
      const listener = feed.listeners.get(queue.user_id) ?? (await this.#listen(feed, queue))
      const place = { queue, listener, last: await this.#lastOf(queue, poll.lastEventId) }
      if (this.#isCurrent(place)) return place
    }
    throw new ServiceUnavailable()
  }

  /**
   * Whether nothing was missed since the place was found: the log has not begun a new epoch, in which the client would have to
   * be checked again, and the listener has been kept up to date.
   */
  #isCurrent({ queue: { realm_id, user_id, epoch }, listener }: QueuePosition): boolean {
    return this.#feeds.get(realm_id)?.listeners.get(user_id) === listener && this.#follower.epoch(realm_id) === epoch
  }

  /** Like `place`, but only if everything is in memory. */
  #cachedPlace({ queueId, userId, realmId, lastEventId }: Poll): QueuePosition | undefined {
    const queue = this.#queues.cached(queueId)
    if (queue?.user_id !== userId || queue.realm_id !== realmId) return undefined
    const listener = this.#feeds.get(realmId)?.listeners.get(userId)
    const isPast = lastEventId === undefined || seqOf(lastEventId) <= this.#follower.head(realmId)
    return listener && isPast ? { queue, listener, last: positionOf(queue, lastEventId) } : undefined
  }

  /** Returns the events since the waiter's last one. If there are none, the waiter starts to wait, or has to connect again. */
  async resume(waiter: Waiter): Promise<WireEvent[]> {
    this.#touches.add(waiter)
    const found = await this.#collect(waiter, () => this.#wait(waiter, () => waiter))
    if (!found) this.#dismiss(waiter)
    return found ?? []
  }

  /** Removes a waiter whose client has disconnected. */
  leave(waiter: Waiter): void {
    if (waiter.due === undefined) return
    this.#heartbeats.unschedule(waiter)
    this.#feeds.get(waiter.queue.realm_id)?.stop(waiter)
  }

  /** Starts waiting. A second client on the same queue ends the wait of the first. */
  #wait(place: QueuePosition, waiterFor: WaiterFor): void {
    const { queue } = place
    if (this.#queues.hasEnded(queue.id)) throw new BadEventQueueId(queue.id)
    this.checkMayWait(place)
    // Nothing may be refused any more: the waiter has taken over the response.
    const waiter = waiterFor(place)
    // The client disconnected during a query: its close event has fired already and would not remove the waiter.
    if (!waiter.isOpen) return
    const feed = this.#feeds.get(queue.realm_id)!
    const earlier = feed.waiterOf(waiter.queue.id)
    if (earlier) this.#dismiss(earlier)
    feed.wait(waiter)
    this.#heartbeats.schedule(waiter)
  }

  /** Throws if too many clients of the user are waiting. A client that replaces another on the same queue is always allowed. */
  checkMayWait({ queue, listener }: QueuePosition): void {
    const feed = this.#feeds.get(queue.realm_id)
    if (feed && feed.waitingOf(listener) >= maxPollsPerUser && !feed.waiterOf(queue.id)) throw new TooManyPolls()
  }

  /** Answers all waiting clients before the server stops. */
  async close(): Promise<void> {
    this.#heartbeats.stop()
    clearInterval(this.#forgetter)
    for (const waiter of this.#waiting()) this.#dismiss(waiter)
    await this.#touches.close()
  }

  *#waiting(): Iterable<Waiter> {
    for (const feed of this.#feeds.values()) yield* feed.waiters()
  }

  /** Stores which queues are in use. */
  flushTouches(): Promise<void> {
    return this.#touches.flush()
  }

  #dismiss(waiter: Waiter): void {
    this.leave(waiter)
    try {
      waiter.dismiss()
    } catch (error) {
      this.#log.error({ err: error }, 'answering a waiting client failed')
    }
  }

  /** Ends a queue that cannot be served; its client has to register again. */
  #fail(waiter: Waiter, error: unknown): void {
    this.leave(waiter)
    try {
      waiter.refuse(this.#queues.fail(waiter.queue, error))
    } catch (refusal) {
      this.#log.error({ err: refusal }, 'answering a waiting client failed')
    }
  }

  async #feedOf({ realm_id, epoch }: Queue): Promise<RealmFeed> {
    await this.#follower.follow(realm_id, epoch)
    const feed = this.#feeds.get(realm_id) ?? new RealmFeed(this.#vault)
    this.#feeds.set(realm_id, feed)
    return feed
  }

  /** Loads a listener. Events that arrive during the load may be missing from it, so they are applied afterwards. */
  async #listen(feed: RealmFeed, queue: Queue): Promise<Listener> {
    const before = this.#follower.head(queue.realm_id)
    const listener = await this.#loadListener({ realmId: queue.realm_id, userId: queue.user_id })
    const since = this.#follower.recent(queue.realm_id, before)
    if (!since) return this.#listen(feed, queue)
    for (const { seq, internal } of since) if (internal) listener.apply(seq, internal)
    const first = feed.listeners.get(queue.user_id)
    if (first) return first
    feed.addListener(listener)
    return listener
  }

  async #lastOf(queue: Queue, lastEventId: number | undefined): Promise<number> {
    const last = positionOf(queue, lastEventId)
    if (seqOf(last) > this.#follower.head(queue.realm_id)) {
      const { last_event } = await readTrimmed(this.#db, queue.realm_id)
      // The client is ahead of the log, so the database was restored from a backup and the client's state may be wrong.
      if (seqOf(last) > last_event) throw new BadEventQueueId(queue.id)
    }
    return last
  }

  /**
   * Collects events up to the end of the log or the response limit. Calls `onNothing` if there are none. Returns undefined if
   * the place is no longer current: nothing may be delivered there.
   */
  #collect(
    place: QueuePosition,
    onNothing: () => void,
    found: WireEvent[] = [],
    after = firstUnseen(place),
  ): WireEvent[] | undefined | Promise<WireEvent[] | undefined> {
    if (!this.#isCurrent(place)) return undefined
    let seq = after
    while (found.length < maxEventsPerResponse) {
      const page = this.#follower.recent(place.queue.realm_id, seq)
      if (!page) return this.#collectStored(place, onNothing, found, seq)
      if (page.length === 0) break
      for (const event of page) found.push(...this.#eventsFor(place, event))
      seq = page.at(-1)!.seq
    }
    if (found.length === 0) onNothing()
    return found
  }

  #eventsFor(place: QueuePosition, event: LogEvent): WireEvent[] {
    try {
      return eventsFor(place, event, this.#vault)
    } catch (error) {
      throw this.#queues.fail(place.queue, error)
    }
  }

  async #collectStored(place: QueuePosition, onNothing: () => void, found: WireEvent[], after: number) {
    const page = await this.#follower.stored(place.queue.realm_id, after)
    if (!page) return undefined
    // The event that the client has seen last may be trimmed; the next one must exist.
    if (page.trimmed_event > after + 1) throw new BadEventQueueId(place.queue.id)
    for (const event of page.events) found.push(...this.#eventsFor(place, event))
    return this.#collect(place, onNothing, found, page.events.at(-1)?.seq ?? page.last_event)
  }

  #take(realmId: number, events: LogEvent[]): void {
    for (const { internal } of events) for (const id of internal?.ended_queues ?? []) this.#queues.end(id)
    let count = 0
    this.#feeds.get(realmId)?.take(events, {
      delivered: (waiter, added, stillWaits) => {
        count += added
        this.#reschedule(waiter, stillWaits)
      },
      failed: (waiter, error) => this.#fail(waiter, error),
    })
    if (count > 0) this.#metrics.delivered.inc(count)
  }

  /** Drops the caches of a realm and makes its clients poll again, so that everything is loaded from the database. */
  #forget(realmId: number): void {
    for (const waiter of this.#feeds.get(realmId)?.waiters() ?? []) this.#dismiss(waiter)
    this.#feeds.delete(realmId)
    this.#queues.forget()
  }

  #beat(waiter: Waiter): void {
    waiter.last = heartbeatId(waiter.last, this.#follower.head(waiter.queue.realm_id))
    const text = toJson({ id: waiter.last, type: 'heartbeat' })
    this.#touches.add(waiter)
    try {
      const stillWaits = waiter.give([{ id: waiter.last, type: 'heartbeat', text, extraBytes: 0 }])
      if (!stillWaits) this.#feeds.get(waiter.queue.realm_id)?.stop(waiter)
      this.#reschedule(waiter, stillWaits)
    } catch (error) {
      this.#fail(waiter, error)
    }
  }

  /** Restarts the heartbeat timer of a stream, which keeps waiting after a delivery. */
  #reschedule(waiter: Waiter, stillWaits: boolean): void {
    if (stillWaits) this.#heartbeats.schedule(waiter)
    else this.#heartbeats.unschedule(waiter)
  }

  #forgetIdle(): void {
    for (const [realmId, feed] of this.#feeds) {
      for (const listener of feed.listeners.values()) feed.dropIfIdle(listener)
      if (feed.isIdle) this.#feeds.delete(realmId)
    }
    this.#queues.forgetIdle()
    this.#follower.forgetIdle()
  }
}

function eventsFor({ queue, listener, last }: QueuePosition, event: LogEvent, vault: Vault): WireEvent[] {
  if (eventId(event.seq) <= last && !becomesSeveral(event)) return []
  const received = listener.receives(event, queue)
  return received ? wireEvents(event, queue, received === 'received', vault).filter(({ id }) => id > last) : []
}

/** The event number after which to read. Includes the last one seen, of which the client may have only a part. */
function firstUnseen({ queue, last }: QueuePosition): number {
  return Math.max(seqOf(last) - 1, queue.start_event)
}
