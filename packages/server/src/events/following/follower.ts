import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../platform/db/pool.ts'
import type { Flushes } from '../commit/flush.ts'
import { type LogEvent, type LogPage, readPage } from '../log.ts'
import { type LogHead, readEpoch, readHeads, restartLog } from './log-epochs.ts'
import { Tail } from './tail.ts'
import type { Heads } from './wake.ts'

const pageSize = 1000
const pollMilliseconds = 1000
/** Realms used within this time are polled every second; without any, only every third poll happens. */
const recentMilliseconds = 30_000
const idleMilliseconds = 10 * 60_000

function isRecent(since: number): boolean {
  return performance.now() - since < 5 * pollMilliseconds
}

/**
 * Follows the event logs of the realms that this process serves. Commits of this process are passed in directly. Commits
 * of other processes are noticed by a hint, or by polling the counters once a second, and read with one indexed query.
 */
export class Follower {
  readonly #db: Database
  readonly #flushes: Flushes
  readonly #log: FastifyBaseLogger
  readonly #tails = new Map<number, Tail>()
  readonly #listeners: ((realmId: number, events: LogEvent[]) => void)[] = []
  readonly #gapListeners: ((realmId: number) => void)[] = []
  readonly #lossListeners: ((realmId: number) => void)[] = []
  readonly #idleChecks: ((realmId: number) => boolean)[] = []
  readonly #poll: NodeJS.Timeout
  #polling = false
  #pollsSkipped = 0
  #lastContact = performance.now()

  constructor(db: Database, flushes: Flushes, log: FastifyBaseLogger) {
    this.#db = db
    this.#flushes = flushes
    this.#log = log
    this.#poll = setInterval(() => void this.#pollCounters(), pollMilliseconds)
  }

  /** The listener receives all new events of followed realms, in order and without gaps. */
  onEvents(listener: (realmId: number, events: LogEvent[]) => void): void {
    this.#listeners.push(listener)
  }

  /** The listener is called when events of a realm were missed, or when another listener failed on them. */
  onGap(listener: (realmId: number) => void): void {
    this.#gapListeners.push(listener)
  }

  /** The listener is called when events that were delivered no longer exist. Everything cached was dropped before. */
  onLoss(listener: (realmId: number) => void): void {
    this.#lossListeners.push(listener)
  }

  /** The realm stays followed while the check returns false. */
  onIdle(check: (realmId: number) => boolean): void {
    this.#idleChecks.push(check)
  }

  /** Whether the database was reached recently, so that cached data cannot be badly out of date. */
  get isFresh(): boolean {
    return isRecent(this.#lastContact)
  }

  /** How long ago it was last certain that no event is missing. */
  get lagSeconds(): number {
    return (performance.now() - this.#lastContact) / 1000
  }

  /** Whether a read of new events takes so long that something must be wrong. */
  get isStuck(): boolean {
    return [...this.#tails.values()].some(({ reading, readingSince }) => reading && !isRecent(readingSince))
  }

  /** Starts following a realm from the current end of its log, or enters the given epoch if it follows an earlier one. */
  async follow(realmId: number, epoch = 0): Promise<void> {
    const tail = this.#tails.get(realmId)
    if (tail) {
      tail.usedAt = performance.now()
      if (tail.epoch < epoch) await this.#enterEpoch(realmId, tail)
      return
    }
    const [row] = await this.#readDurably(() => readHeads(this.#db, [realmId]))
    this.#lastContact = performance.now()
    if (!this.#tails.has(realmId)) this.#tails.set(realmId, new Tail(row))
  }

  /** The epoch of the log that is followed; undefined if the realm is not followed. */
  epoch(realmId: number): number | undefined {
    return this.#tails.get(realmId)?.epoch
  }

  head(realmId: number): number {
    return this.#tails.get(realmId)?.head ?? 0
  }

  /** Notes that a followed realm is in use. Returns false if it is not followed. */
  use(realmId: number): boolean {
    const tail = this.#tails.get(realmId)
    if (tail) tail.usedAt = performance.now()
    return tail !== undefined
  }

  /** Stops following realms that were not used for a while: each costs memory, and time in every poll. */
  forgetIdle(milliseconds = idleMilliseconds): void {
    for (const [realmId, { usedAt }] of this.#tails)
      if (performance.now() - usedAt > milliseconds && this.#idleChecks.every((check) => check(realmId)))
        this.forget(realmId)
  }

  forget(realmId: number): void {
    this.#tails.delete(realmId)
    this.#reportGap(realmId) // what was cached would no longer be updated
  }

  /** The events of a realm after `seq`, if memory reaches back that far. */
  recent(realmId: number, seq: number): LogEvent[] | undefined {
    return this.#tails.get(realmId)?.after(seq)
  }

  /** One page of events from the database; undefined if the log is no longer followed, or in another epoch. */
  async stored(realmId: number, seq: number): Promise<LogPage | undefined> {
    const tail = this.#tails.get(realmId)
    if (!tail) return undefined
    const page = await this.#read(realmId, tail, seq)
    if (page.epoch > tail.epoch) await this.#enterEpoch(realmId, tail)
    return page.epoch === this.epoch(realmId) ? page : undefined
  }

  /** Reads a page of the log. Events that a crash may still undo must not be delivered. */
  async #read(realmId: number, tail: Tail, after: number): Promise<LogPage> {
    const flush = await this.#flushes.open()
    const page = await readPage(this.#db, realmId, after, pageSize)
    if (page.last_event > tail.durable) await flush()
    if (page.epoch === tail.epoch) tail.durable = Math.max(tail.durable, page.last_event)
    return page
  }

  /** Waits until what was read survives a crash: numbers that a crash undoes are used again. */
  async #readDurably<T>(read: () => Promise<T>): Promise<T> {
    const flush = await this.#flushes.open()
    const result = await read()
    await flush()
    return result
  }

  /** Takes the events that this process has just committed and flushed. */
  committed(realmId: number, events: LogEvent[]): void {
    const tail = this.#tails.get(realmId)
    const last = events.at(-1)
    if (!tail || !last) return
    tail.durable = Math.max(tail.durable, last.seq)
    if (events.some((event) => tail.contradicts(event))) return void this.#restart(realmId, tail, 'others')
    const fresh = events.filter(({ seq }) => seq > tail.head)
    if (tail.isContinuedBy(fresh)) this.#append(realmId, tail, fresh)
    else this.#catchUp(realmId, tail, last.seq)
  }

  /** Takes the newest event numbers that another process committed and flushed, and reads what is missing. */
  hinted(heads: Heads): void {
    for (const [realmId, head] of heads) {
      const tail = this.#tails.get(realmId)
      if (tail) tail.durable = Math.max(tail.durable, head)
    }
    this.#noticed(heads)
  }

  #noticed(heads: Heads): void {
    this.#lastContact = performance.now()
    for (const [realmId, head] of heads) {
      const tail = this.#tails.get(realmId)
      if (tail && head > tail.head) this.#catchUp(realmId, tail, head)
    }
  }

  close(): void {
    clearInterval(this.#poll)
  }

  async #pollCounters(): Promise<void> {
    if (this.#polling || this.#canSkipPoll()) return
    this.#polling = true
    // Commits that arrive during the query may be missing from its result.
    const before = new Map([...this.#tails].map(([realmId, tail]) => [realmId, { tail, head: tail.head }]))
    try {
      const rows = await readHeads(this.#db, [...before.keys()])
      for (const row of rows) await this.#compare(row, before.get(row.realm_id)!)
      this.#noticed(new Map(rows.map((row) => [row.realm_id, row.last_event])))
    } catch {
      // The database is unreachable. `isFresh` reports that, and the next poll follows in a second.
    } finally {
      this.#polling = false
    }
  }

  /** While nobody uses the server, two of three polls are left out. `isFresh` allows for that and a slow answer. */
  #canSkipPoll(): boolean {
    this.#pollsSkipped = this.#isInUse ? 0 : (this.#pollsSkipped + 1) % 3
    return this.#pollsSkipped > 0
  }

  get #isInUse(): boolean {
    const now = performance.now()
    for (const [realmId, { usedAt }] of this.#tails)
      if (now - usedAt < recentMilliseconds || !this.#idleChecks.every((check) => check(realmId))) return true
    return false
  }

  /** Notices that the database went back in time. */
  async #compare(row: LogHead, { tail, head }: { tail: Tail; head: number }): Promise<void> {
    if (!this.#isCurrent(row.realm_id, tail)) return
    if (row.epoch > tail.epoch) await this.#enterEpoch(row.realm_id, tail)
    else if (row.epoch < tail.epoch || row.last_event < head) await this.#restart(row.realm_id, tail, 'later')
  }

  /** False if the log was forgotten or is in another epoch since, so that what was read for this tail means nothing. */
  #isCurrent(realmId: number, tail: Tail): boolean {
    return this.#tails.get(realmId) === tail
  }

  async #restart(realmId: number, tail: Tail, seen: 'later' | 'others'): Promise<void> {
    this.#log.error({ realm: realmId }, 'the database went back in time: event numbers and message ids jump ahead')
    await restartLog(this.#db, { realm_id: realmId, last_event: tail.head, epoch: tail.epoch }, seen)
      .then(() => this.#enterEpoch(realmId, tail))
      .catch(() => {}) // the next poll notices it again
  }

  /** Continues at the end of the log if that is in a later epoch. */
  async #enterEpoch(realmId: number, tail: Tail): Promise<void> {
    const start = await this.#readDurably(() => readEpoch(this.#db, realmId, tail.epoch))
    if (!start || start.epoch <= tail.epoch || !this.#isCurrent(realmId, tail)) return
    this.#startOver(realmId, tail, start)
    if (tail.head > (start.last_common_event ?? tail.head))
      for (const listener of this.#lossListeners) this.#guarded(() => listener(realmId))
  }

  /** Drops everything that is cached, because events were missed. */
  #startOver(realmId: number, tail: Tail, end: Pick<LogHead, 'epoch' | 'last_event'>): void {
    const next = new Tail(end)
    this.#tails.set(realmId, next)
    this.#reportGap(realmId)
    this.#catchUp(realmId, next, tail.known)
  }

  #catchUp(realmId: number, tail: Tail, known: number): void {
    tail.known = Math.max(tail.known, known)
    if (tail.reading || tail.head >= tail.known) return
    tail.reading = this.#readOn(realmId, tail)
      .catch(() => {})
      .finally(() => {
        tail.reading = undefined
      })
  }

  /** Reads from the last event that is known, which shows whether the log is still the same. */
  async #readOn(realmId: number, tail: Tail): Promise<void> {
    while (tail.head < tail.known) {
      tail.readingSince = performance.now()
      const page = await this.#read(realmId, tail, tail.head - 1)
      if (!this.#isCurrent(realmId, tail)) return
      if (page.epoch !== tail.epoch) return this.#enterEpoch(realmId, tail)
      if (page.events.some((event) => tail.contradicts(event))) return this.#restart(realmId, tail, 'others')
      // Commits of this process may have arrived during the query.
      const fresh = page.events.filter(({ seq }) => seq > tail.head)
      if (fresh.length === 0) return
      if (!tail.isContinuedBy(fresh)) return this.#startOver(realmId, tail, page) // trimmed past our position
      this.#append(realmId, tail, fresh)
    }
  }

  #reportGap(realmId: number): void {
    for (const listener of this.#gapListeners) this.#guarded(() => listener(realmId))
  }

  /** Calls one listener. Its failure must not affect the other listeners. Returns false if it failed. */
  #guarded(notify: () => void): boolean {
    try {
      notify()
      return true
    } catch (error) {
      this.#log.error({ err: error }, 'a listener of the event log failed')
      return false
    }
  }

  #append(realmId: number, tail: Tail, events: LogEvent[]): void {
    if (events.length === 0) return
    tail.append(events)
    // A listener that failed may have missed some of these events, so its state must be rebuilt from the database.
    const succeeded = this.#listeners.map((listener) => this.#guarded(() => listener(realmId, events)))
    if (succeeded.includes(false)) this.#reportGap(realmId)
  }
}
