import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../platform/db/pool.ts'
import { flushed } from './flush.ts'
import { type LogEvent, readEvents } from './log.ts'
import { type LogHead, lastCommonEvent, readHeads, restartLog } from './log-epochs.ts'
import type { Heads } from './wake.ts'

/** The newest stretch of one realm's log, without gaps. */
interface Tail {
  epoch: number
  head: number
  /** The newest event number known to exist in the log. */
  known: number
  /** The newest event number known to survive a crash. */
  durable: number
  events: LogEvent[]
  bytes: number
  reading: Promise<void> | undefined
  /** When the read that is going on began. */
  readingSince: number
  usedAt: number
}

const pageSize = 1000
const maxEvents = 20_000
const maxBytes = 16 * 1024 * 1024
const pollMilliseconds = 1000
const idleMilliseconds = 10 * 60_000

function isRecent(since: number): boolean {
  return performance.now() - since < 3 * pollMilliseconds
}

function newTail(row: LogHead | undefined): Tail {
  const { last_event: head = 0, epoch = 0 } = row ?? {}
  return {
    epoch,
    head,
    known: head,
    durable: 0,
    events: [],
    bytes: 0,
    reading: undefined,
    readingSince: 0,
    usedAt: performance.now(),
  }
}

/** Whether another event than the one that was just committed was received under its number. */
function contradicts({ events }: Tail, { seq, payload }: LogEvent): boolean {
  const seen = events[seq - (events[0]?.seq ?? 0)]
  return seen !== undefined && seen.payload !== payload
}

/**
 * Follows the event logs of the realms that this process serves. Commits of this process are passed in directly. Commits
 * of other processes are noticed by a hint, or by polling the counters once a second, and read with one indexed query.
 */
export class Follower {
  readonly #db: Database
  readonly #log: FastifyBaseLogger
  readonly #tails = new Map<number, Tail>()
  readonly #listeners: ((realmId: number, events: LogEvent[]) => void)[] = []
  readonly #gapListeners: ((realmId: number) => void)[] = []
  readonly #lossListeners: ((realmId: number) => void)[] = []
  readonly #idleChecks: ((realmId: number) => boolean)[] = []
  readonly #poll: NodeJS.Timeout
  #polling = false
  #lastContact = performance.now()

  constructor(db: Database, log: FastifyBaseLogger) {
    this.#db = db
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

  /** Whether a read of new events takes so long that something must be wrong. */
  get isStuck(): boolean {
    return [...this.#tails.values()].some(({ reading, readingSince }) => reading && !isRecent(readingSince))
  }

  /** Starts following a realm from the current end of its log. Does nothing if the realm is already followed. */
  async follow(realmId: number): Promise<void> {
    if (this.use(realmId)) return
    const [row] = await readHeads(this.#db, [realmId])
    this.#lastContact = performance.now()
    if (!this.#tails.has(realmId)) this.#tails.set(realmId, newTail(row))
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

  /** The events of a realm after `seq`: from memory if it reaches back that far, otherwise one page from the database. */
  after(realmId: number, seq: number): LogEvent[] | Promise<LogEvent[]> {
    const tail = this.#tails.get(realmId)
    const first = tail?.events[0]?.seq
    if (tail && seq >= tail.head) return []
    if (tail && first !== undefined && seq >= first - 1) return tail.events.slice(seq - first + 1)
    return this.#read(realmId, tail, seq)
  }

  /** Reads a page of the log. Events that a crash may still undo must not be delivered. */
  async #read(realmId: number, tail: Tail | undefined, after: number): Promise<LogEvent[]> {
    const page = await readEvents(this.#db, realmId, after, pageSize)
    const last = page.at(-1)?.seq ?? 0
    if (last > (tail?.durable ?? 0)) await flushed(this.#db)
    if (tail) tail.durable = Math.max(tail.durable, last)
    return page
  }

  /** Takes the events that this process has just committed and flushed. */
  committed(realmId: number, events: LogEvent[]): void {
    const tail = this.#tails.get(realmId)
    const last = events.at(-1)
    if (!tail || !last) return
    tail.durable = Math.max(tail.durable, last.seq)
    if (last.seq <= tail.head) {
      if (contradicts(tail, last)) void this.#restart(realmId, tail)
      return
    }
    const fresh = events.filter(({ seq }) => seq > tail.head)
    if (fresh[0]!.seq === tail.head + 1) this.#append(realmId, tail, fresh)
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
    if (this.#polling) return
    this.#polling = true
    // Commits that arrive during the query may be missing from its result.
    const before = new Map([...this.#tails].map(([realmId, { head }]) => [realmId, head]))
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

  /** Notices that the database went back in time. */
  async #compare(row: LogHead, headBefore: number): Promise<void> {
    const tail = this.#tails.get(row.realm_id)
    if (!tail) return
    if (row.epoch > tail.epoch) await this.#enterEpoch(row.realm_id, tail)
    else if (row.epoch < tail.epoch || row.last_event < headBefore) await this.#restart(row.realm_id, tail)
  }

  async #restart(realmId: number, tail: Tail): Promise<void> {
    this.#log.error({ realm: realmId }, 'the database went back in time: event numbers and message ids jump ahead')
    await restartLog(this.#db, { realm_id: realmId, last_event: tail.head, epoch: tail.epoch })
      .then(() => this.#enterEpoch(realmId, tail))
      .catch(() => {}) // the next poll notices it again
  }

  /** Drops everything that is cached and continues at the end of the log. Returns false if the epoch is not a new one. */
  async #enterEpoch(realmId: number, tail: Tail): Promise<boolean> {
    const [row] = await readHeads(this.#db, [realmId])
    if (!row || row.epoch <= tail.epoch) return false
    const isLost = tail.head > (await lastCommonEvent(this.#db, realmId, tail.epoch))
    if (row.epoch <= tail.epoch) return true
    Object.assign(tail, { ...newTail(row), reading: tail.reading })
    this.#reportGap(realmId)
    if (isLost) for (const listener of this.#lossListeners) this.#guarded(() => listener(realmId))
    return true
  }

  #catchUp(realmId: number, tail: Tail, known: number): void {
    tail.known = Math.max(tail.known, known)
    if (tail.reading) return
    tail.reading = this.#readOn(realmId, tail)
      .catch(() => {})
      .finally(() => {
        tail.reading = undefined
      })
  }

  async #readOn(realmId: number, tail: Tail): Promise<void> {
    while (tail.head < tail.known) {
      tail.readingSince = performance.now()
      const page = await this.#read(realmId, tail, tail.head)
      // Commits of this process may have arrived during the query.
      const fresh = page.filter(({ seq }) => seq > tail.head)
      if (fresh.length === 0) return
      if (fresh[0]!.seq !== tail.head + 1) {
        if (await this.#enterEpoch(realmId, tail)) continue
        this.#missed(realmId, tail)
      }
      this.#append(realmId, tail, fresh)
    }
  }

  /** The log was trimmed past our position, so everything cached from it is stale. */
  #missed(realmId: number, tail: Tail): void {
    tail.events = []
    tail.bytes = 0
    this.#reportGap(realmId)
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
    for (const event of events) {
      tail.events.push(event)
      tail.bytes += event.payload.length
    }
    tail.head = events.at(-1)!.seq
    this.#shorten(tail)
    // A listener that failed may have missed some of these events, so its state must be rebuilt from the database.
    const succeeded = this.#listeners.map((listener) => this.#guarded(() => listener(realmId, events)))
    if (succeeded.includes(false)) this.#reportGap(realmId)
  }

  #shorten(tail: Tail): void {
    if (tail.events.length <= maxEvents && tail.bytes <= maxBytes) return
    const dropped = tail.events.splice(0, Math.ceil(tail.events.length / 2))
    for (const { payload } of dropped) tail.bytes -= payload.length
  }
}
