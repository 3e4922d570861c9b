import type { ServerEvent } from '@parley/api/events'
import { type InsertObject, type RawBuilder, sql } from 'kysely'
import { isConflict, isRefusal } from '../platform/db/db-errors.ts'
import { allDone, pipelined, type Send, sendCommit, undoneIfFailed } from '../platform/db/pipelined.ts'
import type { Database } from '../platform/db/pool.ts'
import { one } from '../platform/db/query.ts'
import type { DB } from '../platform/db/tables.generated.ts'
import { OutcomeUnknown } from '../platform/http/api-error.ts'
import type { Plan, Tasks } from '../platform/jobs/tasks.ts'
import { currentClaim, markApplied } from './claim.ts'
import { type Flush, openFlush } from './flush.ts'
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

/** Collects the keys of each step, by the function that takes it. */
export type Steps = Map<object, (key: never) => Promise<unknown>>

/** A function that takes `tx` writes; a function that takes `db` only reads. */
export interface Tx {
  db: Database
  realmId: number
  /** Of acts that share the transaction: see `sharedStep`. */
  steps: Steps
  emit(event: ServerEvent, audience: Audience, internal?: Internal | null, personal?: Personal | null): void
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

/** Receives the events of committed transactions. Must not throw, because the commit cannot be undone. */
export interface CommitListener {
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
  db: Database,
  listener: CommitListener,
  realmId: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const committed = await retryConflicts(() => commit(db, realmId, work))
  await deliver(listener, realmId, committed)
  return committed.result
}

interface Committed<T> {
  result: T
  logged: LogEvent[]
  flush: Flush
}

/** Delivers the events of a committed transaction, once a crash can no longer undo it. */
export async function deliver(
  listener: CommitListener,
  realmId: number,
  { logged, flush }: Committed<unknown>,
): Promise<void> {
  if (logged.length === 0) return
  await flush().catch(() => {
    throw new OutcomeUnknown()
  })
  listener.committed(realmId, logged)
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

/** Commits work once. `settings` are sent first: statements that take effect until the transaction ends. */
export async function commit<T>(
  db: Database,
  realmId: number,
  work: (tx: Tx) => Promise<T>,
  settings: RawBuilder<unknown>[] = [],
): Promise<Committed<T>> {
  const flush = await openFlush(db)
  return pipelined(db, async (open, send) => {
    const logged: LogEvent[] = []
    const audits: AuditRow[] = []
    const tx = openTx(open, send, realmId, logged, audits)
    const begun = allDone([sql`begin`, ...settings].map((statement) => send(statement)))
    const result = await undoneIfFailed(send, async () => {
      const [value] = await allDone([work(tx), begun] as const) // the first statements are sent together with `begin`
      if (audits.length === 0 && !currentClaim()) return value
      await tx.flush() // audit rows and claims are locked after the counter
      await writeAudits(open, audits)
      await markApplied(open)
      return value
    })
    // Last, so that the counter lock is taken after all row locks and cannot cause a deadlock. Sent together, so that nobody
    // waits for the lock while our answer travels: if the events cannot be appended, the commit is a rollback.
    const [, isCommitted] = await allDone([tx.flush(), sendCommit(send)] as const).catch((error: unknown) => {
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
    steps: new Map(),
    emit: (event, audience, internal = null, personal = null) =>
      void emitted.push({ type: event.type, payload: JSON.stringify(event), audience, internal, personal }),
    emitInternal: (internal) =>
      void emitted.push({ type: 'internal', payload: '{}', audience: {}, internal, personal: null }),
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
        ...{ realm_id: realmId, acting_user_id: actorId, action, target: JSON.stringify(target) },
        ...{ before: json(change?.before), after: json(change?.after), ...currentOrigin() },
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
