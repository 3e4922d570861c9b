import type { ServerEvent } from '@parley/api/events'
import { type InsertObject, type RawBuilder, sql } from 'kysely'
import { isConflict, isRefusal } from '../platform/db/db-errors.ts'
import { allDone, pipelined, type Send, sendCommit, undoneIfFailed } from '../platform/db/pipelined.ts'
import type { Database } from '../platform/db/pool.ts'
import { one } from '../platform/db/query.ts'
import type { DB } from '../platform/db/tables.generated.ts'
import { OutcomeUnknown } from '../platform/http/api-error.ts'
import type { Plan, Tasks } from '../platform/jobs/tasks.ts'
import { type Claim, markApplied } from './commit/claim.ts'
import type { Flush, Flushes } from './commit/flush.ts'
import type { Loads } from './commit/loader.ts'
import { type StoredMessage, toJson } from './event-json.ts'
import {
  type Audience,
  appendEvents,
  type EmittedEvent,
  type Internal,
  type LogEvent,
  mayBeFlushedLater,
  type Personal,
} from './log.ts'
import { currentOrigin } from './origin.ts'

/** A place in the order of a realm's events and messages. */
export interface Position {
  event: number
  message: number
}

/** What an act changed: no secrets, and no content of messages. */
export interface AuditedChange {
  before: object
  after: object
}

/** A function that takes `tx` writes; a function that takes `db` only reads. */
export interface Tx {
  db: Database
  realmId: number
  /** Of acts that share the transaction: see `loader`. */
  loads: Loads
  emit(event: ServerEvent, audience: Audience, internal?: Internal | null, personal?: Personal | null): void
  /** Emits a message that was restored. Sends append their events themselves. */
  emitMessage(message: StoredMessage, audience: Audience, personal: Personal): void
  /** Emits data for the processes that follow the log. Clients do not receive it. */
  emitInternal(internal: Internal): void
  /** Adds a job that runs after this transaction commits. */
  enqueue<Name extends keyof Tasks>(task: Name, payload: Tasks[Name], plan?: Plan): Promise<void>
  /**
   * Adds a row to the audit log, with where the act came from. Rows are written last: they lock the end of the realm's
   * chain. `change` has the values before and after.
   */
  audit(actorId: number | null, action: string, target: object, change?: AuditedChange): Promise<void>
  /**
   * Locks the realm's counter and returns the ends of the logs. From then on, no other transaction of the realm can emit
   * events before this one commits. To avoid deadlocks, take no other locks afterwards; only insert.
   */
  position(): Promise<Position>
  /** Writes the events emitted so far, so that later ones come after them in the log. */
  flush(): Promise<void>
  /** Registers events that were appended without `emit`, so that they are delivered after the commit. */
  appended(events: LogEvent[]): void
}

/** What a transaction needs of the running server. */
export interface TransactDeps {
  db: Database
  flushes: Flushes
  /** Of a request with an Idempotency-Key. */
  claim?: Claim | undefined
  /** Receives the events of committed transactions. Must not throw, because the commit cannot be undone. */
  committed(realmId: number, events: LogEvent[]): void
}

const attempts = 3

/** What was locked is no longer what has to be locked, because it was moved concurrently: the transaction starts again. */
export class StaleLocks extends Error {}

/**
 * Runs work in one transaction together with its events, audit rows and jobs: everything commits or nothing does.
 * Retries from the start after a conflict with a concurrent transaction.
 */
export async function transact<T>(
  deps: TransactDeps,
  realmId: number,
  work: (tx: Tx) => Promise<T>,
  options: CommitOptions<T> = {},
): Promise<T> {
  const claimId = deps.claim?.isFinished ? undefined : await deps.claim?.take(deps.db)
  const committed = await retryConflicts(() => commit(deps, realmId, work, { ...options, claimId }))
  await deliver(deps, realmId, committed)
  return committed.result
}

interface Committed<T> {
  result: T
  logged: LogEvent[]
  flush: Flush
}

/** Delivers the events of a committed transaction, once a crash can no longer undo it. */
export async function deliver(
  deps: TransactDeps,
  realmId: number,
  { logged, flush }: Committed<unknown>,
): Promise<void> {
  if (logged.length === 0) return
  await flush().catch(() => {
    throw new OutcomeUnknown()
  })
  deps.committed(realmId, logged)
}

async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (error instanceof StaleLocks) continue
      if (!isConflict(error) || attempt >= attempts) throw error
    }
  }
}

interface CommitOptions<T> {
  /** Statements that are sent first, and take effect until the transaction ends. */
  settings?: RawBuilder<unknown>[]
  /** Statements that are sent together with the commit, before the counter is locked. */
  last?: (result: T) => RawBuilder<unknown>[]
  /** Of a request with an Idempotency-Key that changes something here. */
  claimId?: number | undefined
}

/** Commits work once. */
export async function commit<T>(
  { db, flushes }: TransactDeps,
  realmId: number,
  work: (tx: Tx) => Promise<T>,
  { settings = [], last = () => [], claimId }: CommitOptions<T> = {},
): Promise<Committed<T>> {
  const flush = await flushes.open()
  return pipelined(db, async (open, send) => {
    const logged: LogEvent[] = []
    const audits: AuditRow[] = []
    const tx = openTx(open, send, realmId, logged, audits)
    const begun = allDone([sql`begin`, ...settings].map((statement) => send(statement)))
    const result = await undoneIfFailed(send, async () => {
      const [value] = await allDone([work(tx), begun] as const) // the first statements are sent together with `begin`
      if (audits.length === 0 && claimId === undefined) return value
      await tx.flush() // audit rows and claims are locked after the counter
      await writeAudits(open, audits)
      if (claimId !== undefined) await markApplied(open, claimId)
      return value
    })
    // Last, so that the counter lock is taken after all row locks and cannot cause a deadlock. Sent together, so that nobody
    // waits for the lock while our answer travels: if the events cannot be appended, the commit is a rollback.
    const lastly = allDone(last(result).map((statement) => send(statement)))
    const [, , isCommitted] = await allDone([lastly, tx.flush(), sendCommit(send)] as const).catch((error: unknown) => {
      throw isRefusal(error) ? error : new OutcomeUnknown()
    })
    if (!isCommitted) throw new Error('a statement of this transaction failed, and was ignored')
    return { result, logged, flush }
  })
}

type AuditRow = InsertObject<DB, 'audit_log'>

async function writeAudits(db: Database, rows: AuditRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('audit_log').values(rows).execute()
}

function openTx(db: Database, send: Send, realmId: number, logged: LogEvent[], audits: AuditRow[]): Tx {
  let emitted: EmittedEvent[] = []
  /** Jobs are started, and caches filled, by what others can see; that must survive a crash. */
  let isFlushedLater = true
  return {
    db,
    realmId,
    loads: new Map(),
    emit: (event, audience, internal = null, personal = null) =>
      void emitted.push({ type: event.type, payload: toJson(event), audience, internal, personal }),
    emitMessage: (message, audience, personal) =>
      void emitted.push({ type: 'message', payload: toJson(message), audience, internal: null, personal }),
    emitInternal: (internal) =>
      void emitted.push({ type: 'internal', payload: toJson({}), audience: {}, internal, personal: null }),
    enqueue: async (task, payload, { runAt, key, line } = {}) => {
      const json = JSON.stringify({ ...payload, realm_id: realmId })
      isFlushedLater = false
      await sql`
        select jobs.add_job(${task}, payload := ${json}::json, run_at := ${runAt ?? null}::timestamptz,
                                       job_key := ${key ?? null}::text, line := ${line ?? null}::text)`.execute(db)
    },
    audit: async (actorId, action, target, change) => {
      const json = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))
      audits.push({
        realm_id: realmId,
        acting_user_id: actorId,
        action,
        target: JSON.stringify(target),
        before: json(change?.before),
        after: json(change?.after),
        ...currentOrigin(),
      })
    },
    position: () => one<Position>(db)`
        select last_event as event, last_message as message from realm_counters where realm_id = ${realmId} for update`,
    flush: async () => {
      const batch = emitted
      emitted = []
      if (batch.length === 0) return
      const wasFlushedLater = isFlushedLater && logged.length > 0
      isFlushedLater &&= audits.length === 0 && batch.every(mayBeFlushedLater)
      // Nothing is awaited before the events are sent: the commit may follow at once.
      const reset = wasFlushedLater && !isFlushedLater && send(sql`set local synchronous_commit to default`)
      const [events] = await allDone([appendEvents(send, realmId, batch, isFlushedLater), reset] as const)
      logged.push(...events)
    },
    appended: (events) => void logged.push(...events),
  }
}
