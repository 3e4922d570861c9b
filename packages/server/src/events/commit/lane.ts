import { AsyncResource } from 'node:async_hooks'
import { type RawBuilder, sql } from 'kysely'
import { isConnectionError, isRefusal } from '../../platform/db/db-errors.ts'
import { allDone } from '../../platform/db/pipelined.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { commit, deliver, type TransactDeps, type Tx, transact } from '../transact.ts'
import { type Claim, findRepeated, isClaimed, Repeated, type Stored, storeClaims } from './claim.ts'

type Work<T> = (tx: Tx) => Promise<T>

interface Act {
  userId: number
  work: Work<unknown>
  /** Of a request with an Idempotency-Key: its claim and its response are stored together with the change. */
  claim: Claim | undefined
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

/**
 * Runs small acts of different users that arrive at the same time in one transaction: they share its round trips, its
 * lock of the realm's counter and its commit. Work must throw before it changes anything, and change only what belongs to
 * the user, because row locks do not protect acts of one transaction from each other.
 */
export class Lanes {
  readonly #deps: TransactDeps
  /** By realm id. */
  readonly #lanes = new Map<number, Lane>()

  constructor(deps: TransactDeps) {
    this.#deps = deps
  }

  /** With a claim, the result of the work is the content of the response. A repeated request is refused as `Repeated`. */
  act<T>({ id, realm_id }: Actor, work: Work<T>, claim?: Claim): Promise<T> {
    const done = Promise.withResolvers<unknown>()
    const act = { userId: id, work: AsyncResource.bind(work), claim, done }
    const lane = this.#lanes.get(realm_id) ?? this.#open(realm_id)
    if (lane.isStuck) doAlone(this.#deps, realm_id, act)
    else lane.add(act)
    return done.promise as Promise<T>
  }

  #open(realmId: number): Lane {
    const lane = new Lane(this.#deps, realmId, () => this.#lanes.delete(realmId))
    this.#lanes.set(realmId, lane)
    return lane
  }
}

/** The acts of one realm. Those that arrive during a transaction form the next one, without any timer. */
class Lane {
  readonly #deps: TransactDeps
  readonly #realmId: number
  readonly #close: () => void
  #waiting: Act[] = []
  #isBusy = false
  #since = 0

  constructor(deps: TransactDeps, realmId: number, close: () => void) {
    this.#deps = deps
    this.#realmId = realmId
    this.#close = close
  }

  get isStuck(): boolean {
    return this.#isBusy && performance.now() - this.#since > stuckMilliseconds
  }

  add(act: Act): void {
    this.#waiting.push(act)
    if (!this.#isBusy) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isBusy = true
    while (this.#waiting.length > 0) await this.#commit(this.#takeBatch())
    this.#isBusy = false
    this.#close()
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
      const committed = await commit(this.#deps, this.#realmId, (tx) => doAll(tx, batch), { settings, last })
      deliver(this.#deps, this.#realmId, committed).then(
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
    if (isFinal) rejectAll(batch, error)
    else for (const act of batch) doAlone(this.#deps, this.#realmId, act)
  }
}

/** In a transaction of its own, which waits for locks. */
function doAlone(deps: TransactDeps, realmId: number, act: Act): void {
  transact(deps, realmId, (tx) => doAll(tx, [act]), { last }).then(
    (outcomes) => settle([act], outcomes),
    (error: unknown) => rejectAll([act], isClaimed(error) ? new Repeated() : error),
  )
}

interface Outcome {
  value?: unknown
  refusal?: ApiError
  /** Of a request with an Idempotency-Key. */
  stored?: Stored
}

async function doAll(tx: Tx, batch: Act[]): Promise<Outcome[]> {
  const repeated = await findRepeated(
    tx.db,
    batch.flatMap(({ claim }) => claim ?? []),
  )
  if (batch.length === 1) return [await doOne(tx, batch[0]!, repeated)]
  return allDone(batch.map((act) => doBesideOthers(tx, act, repeated)))
}

async function doOne(tx: Tx, { work, claim }: Act, repeated: Set<Claim>): Promise<Outcome> {
  if (!claim) return { value: await work(tx) }
  if (repeated.has(claim)) throw new Repeated()
  const value = await work(tx)
  return { value, stored: { claim, body: claim.respond(value as object) } }
}

/** A refused act does not fail the others. It emits nothing. */
async function doBesideOthers(tx: Tx, act: Act, repeated: Set<Claim>): Promise<Outcome> {
  const emitted: Parameters<Tx['emit']>[] = []
  try {
    const outcome = await doOne({ ...tx, emit: (...event) => void emitted.push(event) }, act, repeated)
    for (const event of emitted) tx.emit(...event)
    return outcome
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error }
    throw error
  }
}

/** Before the realm's counter is locked, because an insert waits while another transaction is inserting the same claim. */
function last(outcomes: Outcome[]): RawBuilder<unknown>[] {
  const stored = outcomes.flatMap((outcome) => outcome.stored ?? [])
  return stored.length > 0 ? [storeClaims(stored)] : []
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
