import { RealmStates } from '../callers/realm-state.ts'
import { type Config, demoHosts } from '../config.ts'
import { announce, type Context, depsOf, transactIn } from '../context.ts'
import { Renderer } from '../conversations/messages/rendering/renderer.ts'
import { Committer } from '../conversations/messages/send/committer.ts'
import { overdueUsers } from '../delivery/email-notifications/due-emails.ts'
import { planPreviews } from '../delivery/link-previews/pending.ts'
import { demoMailer } from '../delivery/mail/demo-mailbox.ts'
import { type Mailer, smtpMailer } from '../delivery/mail/mailer.ts'
import { overdueSubscriptions } from '../delivery/push/push-deliveries.ts'
import { PushKeys } from '../delivery/push/push-keys.ts'
import { QueueHub } from '../delivery/queues/hub.ts'
import { endQueues } from '../delivery/queues/registration.ts'
import { overdueBots } from '../delivery/webhooks/deliveries.ts'
import { Flushes } from '../events/commit/flush.ts'
import { Lanes } from '../events/commit/lane.ts'
import { endQueuesOfOldEpochs } from '../events/end-queues.ts'
import { Follower } from '../events/following/follower.ts'
import { checkHistory } from '../events/following/log-epochs.ts'
import { PgWake } from '../events/following/wake.ts'
import type { PasswordDirectories } from '../identity/sign-in/directory.ts'
import { RealmHosts } from '../organization/realms/hosts.ts'
import { CurrentSettings } from '../organization/server-settings/current-settings.ts'
import { createDatabase, createPool, type Database, type PoolOptions } from '../platform/db/pool.ts'
import { warnOfAsynchronousStandby } from '../platform/db/standby.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import type { FileStore } from '../platform/files/file-store.ts'
import { openFileStore } from '../platform/files/open-file-store.ts'
import { Shutdown } from '../platform/http/shutdown.ts'
import { SlowClients } from '../platform/http/slow-clients.ts'
import { observeJobs } from '../platform/jobs/job-metrics.ts'
import { createLog } from '../platform/json-log.ts'
import { Metrics } from '../platform/metrics.ts'
import { Deliverer } from '../platform/outgoing/deliverer.ts'
import { reasonOf, StartupError } from '../platform/postgres/startup-error.ts'
import { readSecretFile, rereadSecretFile } from '../platform/secret-file.ts'
import { Vault } from '../platform/secrets.ts'
import { VersionedCache } from '../platform/versioned-cache.ts'
import { Warnings } from '../platform/warnings.ts'
import { WebFiles } from '../web/web-files.ts'
import { shareMetrics } from './process-metrics.ts'
import { observeServer } from './server-metrics.ts'

export interface ContextOptions extends Pick<PoolOptions, 'tickMilliseconds' | 'connectMilliseconds'> {
  /** Opens a database whose secrets were sealed with a key that is lost. */
  anySecret?: boolean
}

/** Creates everything a running server consists of, on a migrated database. */
export async function createContext(
  config: Config,
  databaseUrl: string,
  { anySecret = false, ...timing }: ContextOptions = {},
): Promise<Context> {
  const log = createLog(config.logLevel)
  const pool = createPool({
    url: databaseUrl,
    max: config.poolSize,
    verify: checkHistory,
    ...timing,
    log: (message) => log.warn(message),
  })
  const metrics = new Metrics()
  const db = createDatabase(pool, { slow: () => metrics.slowStatements.inc() })
  observeJobs(metrics.registry, pool)
  shareMetrics(metrics.registry)
  const vault = await openVault(config)
  const flushes = new Flushes(pool)
  const follower = new Follower(db, flushes, log)
  observeServer({ registry: metrics.registry, pool, follower, config })
  const settings = new CurrentSettings(db)
  const wake = new PgWake(
    pool,
    (heads) => follower.hinted(heads),
    () => settings.refresh(),
  )
  await wake.listen()
  const committer = new Committer(pool, metrics, log, (realmId, events) =>
    announce({ follower, wake, log }, realmId, events),
  )
  const files = openFileStore(config, (message) => log.warn(message))
  const ctx: Context = {
    config,
    log,
    pool,
    db,
    vault,
    files,
    warnings: new Warnings([() => warnOfFullStore(files), () => warnOfAsynchronousStandby(pool)], log),
    metrics,
    slowClients: guardOf(config, metrics),
    shutdown: new Shutdown(config.stopGrace * 1000),
    follower,
    wake,
    flushes,
    lanes: new Lanes(depsOf({ db, follower, wake, flushes, log })),
    hosts: new RealmHosts(db, demoHosts(config)),
    settings,
    // Before the queues, so that caches are invalidated before clients receive the event.
    realms: new RealmStates(db, follower),
    renderer: new Renderer({ proxy: config.mediaProxy }),
    heavyRequests: newHeavyRequests(config),
    committer,
    queues: new QueueHub({
      db,
      follower,
      metrics,
      vault,
      log,
      endQueue: (realmId, id) => endQueues({ db, follower, wake, flushes, log }, realmId, [id]),
      endOldEpochs: (realmId) => transactIn({ db, follower, wake, flushes, log }, realmId, endQueuesOfOldEpochs),
    }),
    sharedState: new VersionedCache({ bytes: 64 * 1024 * 1024, milliseconds: 600_000 }),
    mailer: mailerOf(config, db),
    directories: config.signOn.ldap.length > 0 ? directoriesOf(() => ctx) : undefined,
    web: new WebFiles(log),
    webhooks: new Deliverer({
      // Loaded when first needed, so that commands start fast.
      next: async (realmId, botId, signal) =>
        (await import('../delivery/webhooks/delivering.ts')).deliverNext(ctx, realmId, botId, signal),
      overdue: () => overdueBots(db),
      interrupted: (error) => log.warn({ err: error }, 'a delivery to an outgoing webhook was interrupted'),
    }),
    linkPreviews: new Deliverer(
      {
        next: async (realmId, messageId, signal) =>
          (await import('../delivery/link-previews/show-previews.ts')).deliverPreviews(ctx, realmId, messageId, signal),
        overdue: async () => (await planPreviews(db)).due,
        interrupted: (error) => log.warn({ err: error }, 'previews of linked pages were interrupted'),
      },
      manySites,
    ),
    pushKeys: new PushKeys({ db, vault }),
    webPush: new Deliverer(
      {
        next: async (realmId, subscriptionId, signal) =>
          (await import('../delivery/push/deliver.ts')).deliverNext(ctx, realmId, subscriptionId, signal),
        overdue: () => overdueSubscriptions(db),
        interrupted: (error) => log.warn({ err: error }, 'a push notification was interrupted'),
      },
      oneByOne,
    ),
    emails: new Deliverer(
      {
        next: async (realmId, userId, signal) =>
          (await import('../delivery/email-notifications/send-emails.ts')).deliverTo(ctx, { realmId, userId }, signal),
        overdue: () => overdueUsers(db),
        interrupted: (error) => log.warn({ err: error }, 'an email about messages was interrupted'),
      },
      oneMailServer,
    ),
  }
  try {
    if (!anySecret) await checkVault(ctx)
    return ctx
  } catch (error) {
    await closeContext(ctx)
    throw error
  }
}

async function openVault({ secretKey, oldSecretKeys, dataDir }: Config): Promise<Vault> {
  if (secretKey !== undefined) return new Vault([secretKey, ...oldSecretKeys])
  let secrets = await readSecretFile(dataDir)
  return new Vault(secrets, () => (secrets = rereadSecretFile(dataDir, secrets)))
}

/** Browsers get one push after the other: what closes a notification must not overtake it. */
const oneByOne = { quick: 64, running: 1000, perTarget: 1 }
/** Mail servers accept few connections at once. */
/** Sites that take longer than a second do not count among the quick ones. */
const manySites = { quick: 4, running: 100, perTarget: 1 }
const oneMailServer = { quick: 4, running: 4, perTarget: 1 }

/** Loaded when a user first signs in with a password, or forgets it. */
function directoriesOf(context: () => Context): PasswordDirectories {
  const load = async () => (await import('../identity/providers/ldap/ldap.ts')).ldapDirectories(context())
  return {
    check: async (...typed) => (await load()).check(...typed),
    nameFor: async (...account) => (await load()).nameFor(...account),
  }
}

async function warnOfFullStore(files: FileStore): Promise<string | undefined> {
  return files.checkWritable().then(
    () => undefined,
    (error: unknown) => `Files cannot be stored (${reasonOf(error)}): uploads are refused.`,
  )
}

/** Leaves some database connections to short requests. */
function newHeavyRequests({ poolSize }: Config): FairQueue {
  const concurrency = Math.ceil(poolSize / 2)
  return new FairQueue({ concurrency, concurrencyPerOwner: 2, waitingPerOwner: 50, waitingInTotal: 5000 })
}

/** One user may take a sixteenth of the unread bytes of all clients. */
function guardOf({ unsentLimit }: Config, metrics: Metrics): SlowClients {
  const total = unsentLimit * 1024 * 1024
  const clients = new SlowClients({ total, perUser: total / 16 }, (reason) => metrics.slowClients.inc({ reason }))
  metrics.observeUnsent(() => clients.unsentBytes)
  return clients
}

/** The demo sends no mail unless it is configured. */
function mailerOf({ mode, smtpUrl, mailFrom }: Config, db: Database): Mailer | undefined {
  if (smtpUrl !== undefined) return smtpMailer(smtpUrl, mailFrom)
  return mode === 'demo' ? demoMailer(db) : undefined
}

export async function closeContext(ctx: Context): Promise<void> {
  ctx.warnings.stop()
  await ctx.queues.close()
  ctx.sharedState.clear()
  ctx.slowClients.close()
  await Promise.all([ctx.webhooks, ctx.webPush, ctx.emails, ctx.linkPreviews].map((one) => one.stop()))
  ctx.mailer?.close()
  ctx.follower.close()
  await ctx.wake.close()
  await ctx.renderer.close()
  await ctx.pool.end()
}

/** Without this check, a wrong key would only show when a user signs in. */
async function checkVault({ db, vault }: Context): Promise<void> {
  const user = await db.selectFrom('users').select('api_key_sealed').limit(1).executeTakeFirst()
  try {
    if (user) vault.open(user.api_key_sealed)
  } catch (error) {
    throw new StartupError(
      'The API keys in this database are sealed with another secret: set SECRET_KEY to it, or copy the secret.key of the first server into DATA_DIR. If it is lost: "parley secret replace".',
      { cause: error },
    )
  }
}
