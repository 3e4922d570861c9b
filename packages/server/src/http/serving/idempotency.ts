import { hash } from 'node:crypto'
import { idempotencyKeys } from '@parley/api/limits'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Caller } from '../../callers/caller.ts'
import { isSession } from '../../callers/credential.ts'
import type { Context } from '../../context.ts'
import { Claim, type Identity, Repeated } from '../../events/commit/claim.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database } from '../../platform/db/pool.ts'
import { maybeOne } from '../../platform/db/query.ts'
import { ApiError, OutcomeUnknown } from '../../platform/http/api-error.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { asApiError } from '../../platform/http/server.ts'
import { hasEndedSecret } from './ended-secrets.ts'

export interface Outcome {
  status: number
  body: string
}

type Deps = Pick<Context, 'db' | 'vault' | 'log' | 'flushes'>

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

/** A request with a key, and how its response is written. */
export interface KeyedRequest {
  caller: Caller
  request: FastifyRequest
  key: string
  bodyOf: (answer: object) => string
  /** Its claim is inserted together with its change: see `actIn`. Otherwise the claim is committed before anything else. */
  isAct: boolean
}

/**
 * Applies a request once per key and returns its response, or returns the stored response of the first request. A unique
 * index decides which of two simultaneous requests acts.
 */
export async function applyOnce(
  deps: Deps,
  keyed: KeyedRequest,
  apply: (claim: Claim) => Promise<string>,
): Promise<Outcome> {
  for (let attempt = 1; attempt <= takeOverAttempts; attempt++) {
    const claim = newClaim(deps, keyed)
    try {
      if (!keyed.isAct) await claim.take(deps.db)
      return await applyClaimed(deps, claim, apply)
    } catch (error) {
      const outcome = await afterError(deps, claim, error as Error)
      if (outcome) return outcome
    }
  }
  throw new Repeated()
}

function newClaim({ vault }: Deps, { caller, request, key, bodyOf }: KeyedRequest): Claim {
  const { id: user_id, realm_id } = caller
  const identity = { realm_id, user_id, key, fingerprint: fingerprintOf(request, isSession(caller)) }
  const seal = (body: string) => (body.length > idempotencyKeys.maxStoredResponse ? null : vault.seal(body))
  return new Claim(identity, { bodyOf, seal })
}

async function applyClaimed(deps: Deps, claim: Claim, apply: (claim: Claim) => Promise<string>): Promise<Outcome> {
  try {
    const outcome = { status: 200, body: await apply(claim) }
    if (claim.isTaken) await unlessDown(deps, async () => store(deps, claim, outcome))
    return outcome
  } finally {
    claim.isFinished = true
  }
}

/** The stored response, if an earlier request has one. Undefined: nothing has changed, so the request can act. */
async function afterError(deps: Deps, claim: Claim, error: Error): Promise<Outcome | undefined> {
  const id = await claimedId(deps, claim)
  if (id !== undefined) await unlessDown(deps, () => settleFailure(deps, claim, id, error))
  const mayBeRepeated = id === undefined && error instanceof ApiError && error.status < 500
  const outcome = mayBeRepeated ? await earlierOutcome(deps, claim.identity) : undefined
  if (!outcome && !(error instanceof Repeated)) throw error
  return outcome
}

/** Undefined if the claim was not inserted, or together with a change that was undone. */
function claimedId({ db }: Deps, claim: Claim): Promise<number | undefined> {
  return claim.isTaken ? claim.take(db).catch(() => undefined) : Promise.resolve(undefined)
}

/** The response of the first request; undefined if it changed nothing, so that this one can act. */
async function earlierOutcome({ db, vault, flushes }: Deps, { realm_id, user_id, key, fingerprint }: Identity) {
  const flush = await flushes.open()
  const row = await maybeOne<EarlierRequest>(db)`
    select id, fingerprint, is_applied, message_id, status, body_sealed,
           created_at < now() - make_interval(secs => ${deadlineSeconds}) as is_overdue,
           created_at < now() - make_interval(hours => ${keptHours}) as is_expired
      from idempotent_requests where user_id = ${user_id} and key = ${key}`
  if (!row) return undefined
  await flush() // acts are committed before they survive a crash
  if (row.is_expired) return forget(db, row.id)
  if (!row.fingerprint.equals(fingerprint)) throw reused()
  if (row.body_sealed) return checkSecrets(db, realm_id, { status: row.status!, body: vault.open(row.body_sealed) })
  if (row.message_id !== null) return { status: 200, body: sentBody(row.message_id) }
  if (row.status !== null || (row.is_applied && row.is_overdue)) throw outcomeUnknown()
  if (!row.is_overdue) throw new Repeated()
  await release(db, realm_id, row.id)
  return undefined
}

/** A response with a credential is not repeated once the credential has ended. */
async function checkSecrets(db: Database, realmId: number, outcome: Outcome): Promise<Outcome> {
  if (outcome.status === 200 && (await hasEndedSecret(db, realmId, JSON.parse(outcome.body)))) throw outcomeUnknown()
  return outcome
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

async function store({ db }: Deps, claim: Claim, { status, body }: Outcome): Promise<void> {
  const response = { status, body_sealed: claim.seal(body) }
  await db
    .updateTable('idempotent_requests')
    .set(response)
    .where('id', '=', await claim.take(db))
    .execute()
}

/** A request that failed before it changed anything may be repeated. One that changed something keeps its error. */
async function settleFailure(deps: Deps, claim: Claim, id: number, error: Error): Promise<void> {
  const known = asApiError(error)
  if (!known || known.status >= 500 || known instanceof OutcomeUnknown)
    return release(deps.db, claim.identity.realm_id, id)
  await deps.db
    .deleteFrom('idempotent_requests')
    .where(matches({ id, is_applied: false }))
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
function fingerprintOf({ method, url, query, body }: FastifyRequest, isOfSession: boolean): Buffer {
  const sorted = (params: unknown) => Object.entries((params ?? {}) as RawParams).sort(([a], [b]) => (a < b ? -1 : 1))
  const identity = [method, url.split('?')[0], sorted(query), sorted(body), isOfSession]
  return hash('sha256', JSON.stringify(identity), 'buffer')
}

/** The response to a send whose process died after the commit. */
function sentBody(id: number): string {
  return JSON.stringify({ result: 'success', msg: '', id })
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
