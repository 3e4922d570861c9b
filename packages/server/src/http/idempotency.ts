import { createHash } from 'node:crypto'
import { idempotencyKeys } from '@parley/api/limits'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { type Claim, runClaimed } from '../events/claim.ts'
import { matches } from '../platform/db/matches.ts'
import type { Database } from '../platform/db/pool.ts'
import { maybeOne } from '../platform/db/query.ts'
import { ApiError, OutcomeUnknown } from '../platform/http/api-error.ts'
import type { RawParams } from '../platform/http/body.ts'
import { asApiError } from '../platform/http/server.ts'
import type { Caller } from '../users/caller.ts'

export interface Outcome {
  status: number
  body: string
}

type Deps = Pick<Context, 'db' | 'vault' | 'log'>

/** Identifies a repeated request: the same user, key, operation and parameters. */
interface Identity {
  realm_id: number
  user_id: number
  key: string
  fingerprint: Buffer
}

const keptHours = 24
/** An unfinished request may be taken over after this time: its process is probably dead. */
const deadlineSeconds = 10
const takeOverAttempts = 3

/** The key of a write, checked; undefined without the header. */
export function idempotencyKeyOf({ headers, upload }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key) || key.length > idempotencyKeys.maxLength)
    throw new ApiError(
      `The Idempotency-Key must have 1 to ${idempotencyKeys.maxLength} printable ASCII characters without spaces.`,
    )
  if (upload) throw new ApiError('File uploads do not support an Idempotency-Key.')
  return key
}

/**
 * Applies a request once per key and returns its response, or returns the stored response of the first request. The
 * claim is committed before anything else, so of two simultaneous requests one acts.
 */
export async function applyOnce(
  deps: Deps,
  { id: user_id, realm_id }: Caller,
  request: FastifyRequest,
  key: string,
  apply: () => Promise<string>,
): Promise<Outcome> {
  const identity = { realm_id, user_id, key, fingerprint: fingerprintOf(request) }
  for (let attempt = 1; attempt <= takeOverAttempts; attempt++) {
    const claimId = await insertClaim(deps.db, identity)
    if (claimId !== undefined) return applyClaimed(deps, realm_id, { id: claimId, isFinished: false }, apply)
    const outcome = await earlierOutcome(deps, identity)
    if (outcome) return outcome
  }
  throw inProgress()
}

async function applyClaimed(deps: Deps, realmId: number, claim: Claim, apply: () => Promise<string>): Promise<Outcome> {
  try {
    const outcome = { status: 200, body: await runClaimed(claim, apply) }
    await unlessDown(deps, () => store(deps, claim, outcome))
    return outcome
  } catch (error) {
    await unlessDown(deps, () => settleFailure(deps, realmId, claim, error as Error))
    throw error
  } finally {
    claim.isFinished = true
  }
}

/** The response of the first request; undefined if it changed nothing, so that this one can act. */
async function earlierOutcome({ db, vault }: Deps, { realm_id, user_id, key, fingerprint }: Identity) {
  const row = await maybeOne<EarlierRequest>(db)`
    select id, fingerprint, is_applied, message_id, status, body_sealed,
           created_at < now() - make_interval(secs => ${deadlineSeconds}) as is_overdue,
           created_at < now() - make_interval(hours => ${keptHours}) as is_expired
      from idempotent_requests where user_id = ${user_id} and key = ${key}`
  if (!row) return undefined
  if (row.is_expired) return forget(db, row.id)
  if (!row.fingerprint.equals(fingerprint)) throw reused()
  if (row.body_sealed) return { status: row.status!, body: vault.open(row.body_sealed) }
  if (row.message_id !== null) return { status: 200, body: sentBody(row.message_id) }
  if (row.status !== null || (row.is_applied && row.is_overdue)) throw outcomeUnknown()
  if (!row.is_overdue) throw inProgress()
  await release(db, realm_id, row.id)
  return undefined
}

interface EarlierRequest {
  id: number
  fingerprint: Buffer
  is_applied: boolean
  message_id: number | null
  status: number | null
  body_sealed: Buffer | null
  is_overdue: boolean
  is_expired: boolean
}

async function insertClaim(db: Database, identity: Identity): Promise<number | undefined> {
  const row = await db
    .insertInto('idempotent_requests')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

async function store({ db, vault }: Deps, { id }: Claim, { status, body }: Outcome): Promise<void> {
  const body_sealed = body.length > idempotencyKeys.maxStoredResponse ? null : vault.seal(body)
  await db.updateTable('idempotent_requests').set({ status, body_sealed }).where('id', '=', id).execute()
}

/** A request that failed before it changed anything may be repeated. One that changed something keeps its error. */
async function settleFailure(deps: Deps, realmId: number, claim: Claim, error: Error): Promise<void> {
  const known = asApiError(error)
  if (!known || known.status >= 500 || known instanceof OutcomeUnknown) return release(deps.db, realmId, claim.id)
  await deps.db
    .deleteFrom('idempotent_requests')
    .where(matches({ id: claim.id, is_applied: false }))
    .execute()
  await store(deps, claim, { status: known.status, body: JSON.stringify(known.body()) })
}

/**
 * Deletes a claim unless its request changed something. After a lost connection the database may still be sending its
 * message, so this waits for the counter of the realm, which sends lock.
 */
async function release(db: Database, realmId: number, id: number): Promise<void> {
  await sql`
    with locked as materialized (select 1 from realm_counters where realm_id = ${realmId} for update)
    delete from idempotent_requests where id = ${id} and not is_applied and exists (select from locked)`.execute(db)
}

async function forget(db: Database, id: number): Promise<undefined> {
  await db.deleteFrom('idempotent_requests').where('id', '=', id).execute()
}

/** What cannot be stored is settled by the deadline. */
async function unlessDown({ log }: Deps, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => log.warn({ err: error }, 'Could not store the outcome of a request.'))
}

/** Parameters in any order are the same request. */
function fingerprintOf({ method, url, query, body }: FastifyRequest): Buffer {
  const sorted = (params: unknown) => Object.entries((params ?? {}) as RawParams).sort(([a], [b]) => (a < b ? -1 : 1))
  const identity = [method, url.split('?')[0], sorted(query), sorted(body)]
  return createHash('sha256').update(JSON.stringify(identity)).digest()
}

/** The response to a send whose process died after the commit. */
function sentBody(id: number): string {
  return JSON.stringify({ result: 'success', msg: '', id })
}

function inProgress(): ApiError {
  return new ApiError(
    'A request with the same Idempotency-Key is in progress; repeat this one in a moment to get its response.',
    'IDEMPOTENCY_KEY_IN_USE',
    { headers: { 'Retry-After': '1' } },
  )
}

function reused(): ApiError {
  return new ApiError(
    'This Idempotency-Key was used for a different request; use a new key for each request.',
    'IDEMPOTENCY_KEY_REUSED',
  )
}

function outcomeUnknown(): ApiError {
  return new ApiError(
    'This request was applied before, at least in part, but its response was not kept. Read the current state instead of repeating it.',
    'OUTCOME_UNKNOWN',
  )
}

/** Deletes expired requests, and the oldest of users who have too many. */
export async function deleteOldRequests(db: Database): Promise<void> {
  await sql`delete from idempotent_requests where created_at < now() - make_interval(hours => ${keptHours})`.execute(db)
  await sql`
    delete from idempotent_requests where id in (
      select r.id from (select user_id from idempotent_requests group by user_id
                        having count(*) > ${idempotencyKeys.perUser}) as busy,
             lateral (select id from idempotent_requests where user_id = busy.user_id
                       order by id desc offset ${idempotencyKeys.perUser}) as r)`.execute(db)
}
