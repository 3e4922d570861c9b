import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../platform/db/pool.ts'
import { ApiError } from '../platform/http/api-error.ts'

/** The right to apply a request with an Idempotency-Key: a row that exists until a repeated request takes over. */
export interface Claim {
  id: number
  /** What runs on in the background after the response does not belong to the request. */
  isFinished: boolean
}

export class Superseded extends ApiError {
  constructor() {
    super(
      'A repeated request with the same Idempotency-Key took over; this one changed nothing.',
      'IDEMPOTENCY_KEY_IN_USE',
    )
  }
}

const claims = new AsyncLocalStorage<Claim>()

/** Runs the handler of a request. All transactions within it count as parts of the request. */
export function runClaimed<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
  return claims.run(claim, work)
}

/** Runs work that completes even if the request that started it does not. Its transactions do not belong to the request. */
export function runUnclaimed<T>(work: () => Promise<T>): Promise<T> {
  return claims.exit(work)
}

/** The claim of the request that is being handled; undefined if it has no Idempotency-Key. */
export function currentClaim(): Claim | undefined {
  const claim = claims.getStore()
  return claim?.isFinished ? undefined : claim
}

/**
 * Records that the request changed something, in the transaction of the change. Called last, because a repeated request
 * that takes over locks the realm's counter before the claim, too.
 */
export async function markApplied(db: Database): Promise<void> {
  const claim = currentClaim()
  if (!claim) return
  const marked = await db
    .updateTable('idempotent_requests')
    .set({ is_applied: true })
    .where('id', '=', claim.id)
    .executeTakeFirst()
  if (marked.numUpdatedRows === 0n) throw new Superseded()
}
