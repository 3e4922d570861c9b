import { AsyncResource } from 'node:async_hooks'
import { sql } from 'kysely'
import { isConnectionError, isRefusal } from '../platform/db/db-errors.ts'
import { allDone } from '../platform/db/pipelined.ts'
import type { Database } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { currentClaim } from './claim.ts'
import { type CommitListener, commit, deliver, type Tx, transact } from './transact.ts'

type Work<T> = (tx: Tx) => Promise<T>

interface Act {
  userId: number
  work: Work<unknown>
  done: PromiseWithResolvers<unknown>
}

/** Who acts, and where. */
export interface Actor {
  id: number
  realm_id: number
}

const largestBatch = 32
/** After this time, the connection of the current transaction is probably dead. */
const stuckMilliseconds = 1000

/**
 * One act that waits for a lock would keep the others waiting. Acts repeat the same few statements, so that it does not pay
 * to plan them for their parameters.
 */
const settings = [
  sql`select set_config('lock_timeout', '200ms', true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
]

const lanes = new WeakMap<Database, Map<number, Lane>>()

/**
 * Runs small acts of different users that arrive at the same time in one transaction: they share its round trips, its
 * lock of the realm's counter and its commit. Work must throw before it changes anything, and change only what belongs to
 * the user, because row locks do not protect acts of one transaction from each other.
 */
export function actTogether<T>(db: Database, listener: CommitListener, actor: Actor, work: Work<T>): Promise<T> {
  const lane = lanes.get(db)?.get(actor.realm_id)
  // An Idempotency-Key is recorded in the transaction of its request.
  if (currentClaim() || lane?.isStuck) return transact(db, listener, actor.realm_id, work)
  return (lane ?? openLane(db, listener, actor.realm_id)).add(actor.id, work)
}

function openLane(db: Database, listener: CommitListener, realmId: number): Lane {
  const ofDatabase = lanes.get(db) ?? new Map<number, Lane>()
  lanes.set(db, ofDatabase)
  const lane = new Lane(db, listener, realmId)
  ofDatabase.set(realmId, lane)
  return lane
}

/** The acts of one realm. Those that arrive during a transaction form the next one, without any timer. */
class Lane {
  readonly #db: Database
  readonly #listener: CommitListener
  readonly #realmId: number
  #waiting: Act[] = []
  #isBusy = false
  #since = 0

  constructor(db: Database, listener: CommitListener, realmId: number) {
    this.#db = db
    this.#listener = listener
    this.#realmId = realmId
  }

  get isStuck(): boolean {
    return this.#isBusy && performance.now() - this.#since > stuckMilliseconds
  }

  add<T>(userId: number, work: Work<T>): Promise<T> {
    const done = Promise.withResolvers<unknown>()
    this.#waiting.push({ userId, work: AsyncResource.bind(work), done })
    if (!this.#isBusy) void this.#run()
    return done.promise as Promise<T>
  }

  async #run(): Promise<void> {
    this.#isBusy = true
    while (this.#waiting.length > 0) await this.#commit(this.#takeBatch())
    this.#isBusy = false
    lanes.get(this.#db)?.delete(this.#realmId)
  }

  /** At most one act of each user, so that no two of them change the same rows. */
  #takeBatch(): Act[] {
    const batch = new Map<number, Act>()
    const later: Act[] = []
    for (const act of this.#waiting)
      if (batch.size < largestBatch && !batch.has(act.userId)) batch.set(act.userId, act)
      else later.push(act)
    this.#waiting = later
    return [...batch.values()]
  }

  /** The next transaction does not wait for the delivery of this one. */
  async #commit(batch: Act[]): Promise<void> {
    this.#since = performance.now()
    try {
      const committed = await commit(this.#db, this.#realmId, (tx) => doAll(tx, batch), settings)
      deliver(this.#listener, this.#realmId, committed).then(
        () => settle(batch, committed.result),
        (error: unknown) => rejectAll(batch, error),
      )
    } catch (error) {
      this.#afterFailure(batch, error)
    }
  }

  /** Acts are done again, one by one, only if the database said that it has undone everything. */
  #afterFailure(batch: Act[], error: unknown): void {
    const isFinal = error instanceof ApiError || (isConnectionError(error) && !isRefusal(error))
    for (const { work, done } of batch)
      if (isFinal) done.reject(error)
      else transact(this.#db, this.#listener, this.#realmId, work).then(done.resolve, done.reject)
  }
}

interface Outcome {
  value?: unknown
  refusal?: ApiError
}

async function doAll(tx: Tx, batch: Act[]): Promise<Outcome[]> {
  if (batch.length === 1) return [{ value: await batch[0]!.work(tx) }]
  return allDone(batch.map(({ work }) => doOne(tx, work)))
}

/** A refused act does not fail the others. It emits nothing. */
async function doOne(tx: Tx, work: Work<unknown>): Promise<Outcome> {
  const emitted: Parameters<Tx['emit']>[] = []
  try {
    const value = await work({ ...tx, emit: (...event) => void emitted.push(event) })
    for (const event of emitted) tx.emit(...event)
    return { value }
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error }
    throw error
  }
}

function settle(batch: Act[], outcomes: Outcome[]): void {
  for (const [index, { done }] of batch.entries()) {
    const { value, refusal } = outcomes[index]!
    if (refusal) done.reject(refusal)
    else done.resolve(value)
  }
}

function rejectAll(batch: Act[], error: unknown): void {
  for (const { done } of batch) done.reject(error)
}
