import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../platform/db/pool.ts'
import { column } from '../../platform/db/query.ts'
import { valueRows } from '../../platform/db/value-rows.ts'
import { ApiError } from '../../platform/http/api-error.ts'

/**
 * Identifies a repeated request: the same user, key, operation and parameters, and both with a session or both without. A
 * session does not get the response to a request that did not have to confirm itself.
 */
export interface Identity {
  realm_id: number
  user_id: number
  key: string
  fingerprint: Buffer
}

export class Superseded extends ApiError {
  constructor() {
    super(
      'A repeated request with the same Idempotency-Key took over; this one changed nothing.',
      'IDEMPOTENCY_KEY_IN_USE',
    )
  }
}

/** Another request with the same key came first. It may have a response already. */
export class Repeated extends ApiError {
  constructor() {
    super(
      'A request with the same Idempotency-Key is in progress; repeat this one in a moment to get its response.',
      'IDEMPOTENCY_KEY_IN_USE',
      { headers: { 'Retry-After': '1' } },
    )
  }
}

/** What a request needs to store its response. */
interface Responding {
  /** The body of the response with this content. */
  bodyOf(answer: object): string
  /** Encrypts a body. Null if it is too large to be kept. */
  seal(body: string): Buffer | null
}

/**
 * The right to apply a request with an Idempotency-Key: a row of which the unique index allows one. An act inserts it in the
 * transaction of its change, together with the response. Other requests take it before their first change.
 */
export class Claim {
  readonly identity: Identity
  readonly #responding: Responding
  #id: Promise<number> | undefined
  /** The response that an act stored together with its change. */
  body: string | undefined
  /** What runs on in the background after the response does not belong to the request. */
  isFinished = false

  constructor(identity: Identity, responding: Responding) {
    this.identity = identity
    this.#responding = responding
  }

  get isTaken(): boolean {
    return this.#id !== undefined
  }

  /** The id of the row, which is committed before anything changes. Throws `Repeated` if another request has it. */
  take(db: Database): Promise<number> {
    this.#id ??= insertAlone(db, this.identity)
    return this.#id
  }

  seal(body: string): Buffer | null {
    return this.#responding.seal(body)
  }

  /** Sets the body of the response and encrypts it. */
  respond(answer: object): Buffer | null {
    this.body = this.#responding.bodyOf(answer)
    return this.seal(this.body)
  }
}

async function insertAlone(db: Database, identity: Identity): Promise<number> {
  const row = await db
    .insertInto('idempotent_requests')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!row) throw new Repeated()
  return row.id
}

/**
 * Records that the request changed something, in the transaction of the change. Called last, because a repeated request
 * that takes over locks the realm's counter before the claim, too.
 */
export async function markApplied(db: Database, id: number): Promise<void> {
  const marked = await db
    .updateTable('idempotent_requests')
    .set({ is_applied: true })
    .where('id', '=', id)
    .executeTakeFirst()
  if (marked.numUpdatedRows === 0n) throw new Superseded()
}

/**
 * Those of the claims that other requests have already. `offset 0` lets each be looked up: while PostgreSQL takes the table for
 * small, a join would read all of it.
 */
export async function findRepeated(db: Database, claims: Claim[]): Promise<Set<Claim>> {
  if (claims.length === 0) return new Set()
  const keys = claims.map(({ identity }) => identity)
  const users = await column<number>(db)`
    select k.user_id from ${valueRows('k', keys, { user_id: 'bigint', key: 'text' })}
     cross join lateral (select from idempotent_requests where user_id = k.user_id and key = k.key offset 0) r`
  return new Set(claims.filter(({ identity }) => users.includes(identity.user_id)))
}

/** A claim, with the response that is stored together with the change. */
export interface Stored {
  claim: Claim
  body: Buffer | null
}

/** Inserts claims of different users. Fails, and so undoes the changes, if another request has one of them. */
export function storeClaims(stored: Stored[]): RawBuilder<unknown> {
  const rows = stored.map(({ claim, body }) => ({ ...claim.identity, body }))
  const columns = { realm_id: 'bigint', user_id: 'bigint', key: 'text', fingerprint: 'bytea', body: 'bytea' } as const
  return sql`
    insert into idempotent_requests (realm_id, user_id, key, fingerprint, is_applied, status, body_sealed)
    select realm_id, user_id, key, fingerprint, true, 200, body from ${valueRows('k', rows, columns)} order by user_id`
}

/** The error of `storeClaims`. */
export function isClaimed(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'idempotent_requests_user_id_key_key'
}
