import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { RealmStates } from './callers/realm-state.ts'
import type { Config } from './config.ts'
import type { Renderer } from './conversations/messages/rendering/renderer.ts'
import type { Committer } from './conversations/messages/send/committer.ts'
import type { Mailer } from './delivery/mail/mailer.ts'
import type { PushKeys } from './delivery/push/push-keys.ts'
import type { QueueHub } from './delivery/queues/hub.ts'
import type { Claim } from './events/commit/claim.ts'
import type { Flushes } from './events/commit/flush.ts'
import type { Actor, Lanes } from './events/commit/lane.ts'
import type { Follower } from './events/following/follower.ts'
import type { Wake } from './events/following/wake.ts'
import type { LogEvent } from './events/log.ts'
import { type TransactDeps, type Tx, transact } from './events/transact.ts'
import type { PasswordDirectories } from './identity/sign-in/directory.ts'
import type { RealmHosts } from './organization/realms/hosts.ts'
import type { CurrentSettings } from './organization/server-settings/current-settings.ts'
import type { Database } from './platform/db/pool.ts'
import type { FairQueue } from './platform/fair-queue.ts'
import type { FileStore } from './platform/files/file-store.ts'
import type { Shutdown } from './platform/http/shutdown.ts'
import type { SlowClients } from './platform/http/slow-clients.ts'
import type { Metrics } from './platform/metrics.ts'
import type { Deliverer } from './platform/outgoing/deliverer.ts'
import type { Vault } from './platform/secrets.ts'
import type { VersionedCache } from './platform/versioned-cache.ts'
import type { Warnings } from './platform/warnings.ts'
import type { WebFiles } from './web/web-files.ts'

/** The parts of a running server. */
export interface Context {
  config: Config
  log: FastifyBaseLogger
  pool: pg.Pool
  db: Database
  vault: Vault
  files: FileStore
  metrics: Metrics
  slowClients: SlowClients
  shutdown: Shutdown
  follower: Follower
  wake: Wake
  flushes: Flushes
  /** Small acts of users that are waiting to share a transaction. */
  lanes: Lanes
  /** Only in the context of a request with an Idempotency-Key. */
  claim?: Claim | undefined
  hosts: RealmHosts
  settings: CurrentSettings
  realms: RealmStates
  renderer: Renderer
  /** Schedules requests that keep the database busy for long; users take turns. */
  heavyRequests: FairQueue
  committer: Committer
  queues: QueueHub
  /** Undefined if none is configured: then signing in with a password costs nothing more. */
  directories: PasswordDirectories | undefined
  /** The parts of registrations that do not depend on the caller. */
  sharedState: VersionedCache
  webhooks: Deliverer
  webPush: Deliverer
  pushKeys: PushKeys
  /** Previews of linked pages. */
  linkPreviews: Deliverer
  /** Emails about messages. */
  emails: Deliverer
  /** The web client. */
  web: WebFiles
  warnings: Warnings
  /** Undefined if the server sends no email. */
  mailer: Mailer | undefined
}

/** Runs work in one transaction and delivers its events to waiting clients after the commit. */
export function transactIn<T>(ctx: Commits, realmId: number, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transact(depsOf(ctx), realmId, work)
}

/**
 * The same for a small act of a user, which shares the transaction with those of others: see `Lanes`. Its result is the content
 * of the response, which is stored with the change if the request has an Idempotency-Key: see `serveAct`.
 */
export function actIn<T>(
  ctx: Commits & Pick<Context, 'lanes'>,
  actor: Actor,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { claim } = ctx
  if (claim?.isTaken) return transactIn(ctx, actor.realm_id, work)
  return ctx.lanes.act(actor, work, claim)
}

export function depsOf(ctx: Commits): TransactDeps {
  const { db, flushes, claim } = ctx
  return { db, flushes, claim, committed: (realmId, events) => announce(ctx, realmId, events) }
}

/** What a transaction needs. */
export type Commits = Pick<Context, 'db' | 'follower' | 'wake' | 'flushes' | 'log' | 'claim'>

/**
 * Delivers committed events to clients that wait in this process, then hints other processes. Never throws: the change
 * is committed, and events that are not delivered here are read from the log.
 */
export function announce(
  { follower, wake, log }: Pick<Context, 'follower' | 'wake' | 'log'>,
  realmId: number,
  events: LogEvent[],
): void {
  const head = events.at(-1)!.seq
  try {
    follower.committed(realmId, events)
    wake.hint(realmId, head)
  } catch (error) {
    log.error({ err: error }, 'immediate delivery of committed events failed; they will be read from the log')
    follower.hinted(new Map([[realmId, head]]))
  }
}

/** Prints a line for the operator. */
export type Say = (line: string) => void
