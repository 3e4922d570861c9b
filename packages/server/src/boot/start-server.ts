import { once } from 'node:events'
import { type AddressInfo, type ListenOptions, Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import type { Config } from '../config.ts'
import type { Context, Say } from '../context.ts'
import { beginGeneration } from '../delivery/queues/server-generation.ts'
import { refusePublicDemo, seedDemo } from '../demo/seed.ts'
import { checkDataFolder } from '../events/following/log-epochs.ts'
import { buildApp, buildOperatorApp } from '../http/app.ts'
import { startHeartbeat } from '../platform/jobs/heartbeat.ts'
import { reasonOf, StartupError } from '../platform/postgres/startup-error.ts'
import { version } from '../platform/version.ts'
import { startBackgroundWork } from './background-jobs.ts'
import { closeContext, createContext } from './create-context.ts'
import { describeConfig } from './describe-config.ts'
import { type OpenDatabase, openDatabase, reachRunning } from './open-database.ts'
import { failToListen } from './ports.ts'

export interface RunningServer {
  ctx: Context
  /** The URL it listens on. */
  url: string
  database: OpenDatabase
  close(): Promise<void>
}

/**
 * Starts everything a server needs, in order; close() stops it in reverse order. `openOwn` opens another database than
 * the one in the configuration, `beforeListening` runs when everything else is done.
 */
export async function startServer(
  config: Config,
  say: Say,
  openOwn = openDatabase,
  beforeListening = () => {},
): Promise<RunningServer> {
  return start(openOwn, config, say, async (ctx, resources) => {
    if (config.hasWebClient) void ctx.web.prepare()
    const app = buildApp(ctx)
    resources.defer(() => app.close())
    await app.ready()
    if (config.mode === 'demo') await seedDemo(app, ctx, say)
    else await refusePublicDemo(ctx)
    if (config.databaseUrl === undefined) await checkDataFolder(ctx.db, config.dataDir)
    await beginGeneration(ctx)
    beforeListening()
    const { url, server } = await serveOn(ctx, app, resources)
    await receiveMail(ctx, resources)
    void restoreSearch(ctx)
    const work = startWork(ctx, true)
    resources.defer(async () => void (await Promise.all([drain(app, ctx, server), work.stop()])))
    resources.defer(() => ctx.shutdown.announce())
    return { ctx, url }
  })
}

/** A killed import may have left the search without its indexes: it is slow until they are built, which takes minutes. */
async function restoreSearch({ config, log }: Context): Promise<void> {
  try {
    const { restoreSearchIndexes } = await import('../operation/import/search-indexes.ts')
    const database = await reachRunning(config)
    if (database) await restoreSearchIndexes(database.url).finally(database.close)
  } catch (error) {
    log.warn({ err: error }, 'the indexes for search could not be checked')
  }
}

async function receiveMail(ctx: Context, resources: AsyncDisposableStack): Promise<void> {
  const { mailIn, processes } = ctx.config
  if (!mailIn?.listener) return
  const { listenForMail } = await import('../delivery/mail-in/mail-listener.ts')
  const { host, port } = mailIn.listener
  const listening = await listenForMail(ctx, mailIn.listener, processes).catch((error: unknown) => {
    throw new StartupError(
      `Parley cannot listen for emails at ${host}:${port} (${reasonOf(error)}): check MAIL_IN_URL.`,
    )
  })
  resources.defer(() => listening.close())
}

/** Opens the database and everything that `run` adds. If something fails, closes what was opened. */
async function start<Parts>(
  open: typeof openDatabase,
  config: Config,
  say: Say,
  run: (ctx: Context, resources: AsyncDisposableStack) => Promise<Parts>,
): Promise<Parts & Pick<RunningServer, 'database' | 'close'>> {
  const resources = new AsyncDisposableStack()
  try {
    const database = await open(config, say)
    resources.defer(database.close)
    const ctx = await createContext(config, database.url)
    resources.defer(() => closeContext(ctx))
    if (database.migrated.length > 0) ctx.log.info({ migrations: database.migrated }, 'migrated the database')
    await ctx.files.prepare()
    const parts = await run(ctx, resources)
    ctx.log.info({ version, config: describeConfig(config) }, 'started')
    return { ...parts, database, close: () => stop(ctx, resources) }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

async function stop({ log }: Context, resources: AsyncDisposableStack): Promise<void> {
  log.info('stopping')
  await resources.disposeAsync()
  log.info('stopped')
}

export interface RunningWorker {
  /** The URL of its health checks, if configured. */
  url: string | undefined
  database: OpenDatabase
  close(): Promise<void>
}

/** Starts a process that runs the background jobs of the servers on the same database, and serves no clients. */
export async function startWorker(config: Config, say: Say): Promise<RunningWorker> {
  refuseIdleWorker(config)
  return start(openDatabase, config, say, async (ctx, resources) => {
    const url = config.workerPort === undefined ? undefined : await serveHealth(ctx, config.workerPort, resources)
    const work = startWork(ctx, false)
    resources.defer(() => work.stop())
    return { url }
  })
}

function refuseIdleWorker({ databaseUrl, jobsAtOnce }: Config): void {
  if (databaseUrl === undefined)
    throw new StartupError('A worker needs a database shared with the servers: set DATABASE_URL.')
  if (jobsAtOnce === 0)
    throw new StartupError('A worker with JOBS_AT_ONCE=0 would do nothing: unset it, or set it to at least 1.')
}

async function serveHealth(ctx: Context, port: number, resources: AsyncDisposableStack): Promise<string> {
  const app = buildOperatorApp(ctx)
  resources.defer(() => app.close())
  return listen(app, ctx.config.host, port)
}

/** Starts the background jobs and the heartbeat of this process. The heartbeat must outlast the jobs. */
function startWork(ctx: Context, serves: boolean): { stop(): Promise<void> } {
  ctx.warnings.start()
  const jobs = ctx.config.jobsAtOnce > 0 ? startBackgroundWork(ctx) : undefined
  const heartbeat = startHeartbeat({ pool: ctx.pool, log: ctx.log, serves, jobs })
  return {
    async stop() {
      await jobs?.stop()
      await heartbeat.stop()
    },
  }
}

/** Listens for clients: over HTTP, or over TLS and on the port that leads there. Returns what accepts connections. */
async function serveOn(ctx: Context, app: FastifyInstance, resources: AsyncDisposableStack) {
  const { host, port, processes, tls, publicUrl } = ctx.config
  if (!tls) return { url: await listen(app, host, port, processes), server: app.server as Server }
  const { secureServer } = await import('./tls/listen-securely.ts')
  const { redirectServer } = await import('./tls/redirects.ts')
  const server = secureServer(ctx, tls, app.server)
  await listenOn(server, host, port, processes)
  if (tls.httpPort > 0) {
    const redirects = redirectServer(ctx)
    await listenOn(redirects, host, tls.httpPort, processes)
    resources.defer(() => redirects.close(() => {}).closeAllConnections())
  }
  return { url: publicUrl!, server }
}

async function listenOn(server: Server, host: string, port: number, processes: number): Promise<void> {
  server.listen(listenOptions(host, port, processes))
  await once(server, 'listening').catch(failToListen(host, port))
}

function listenOptions(host: string, port: number, processes: number): ListenOptions {
  return { host, port, ...(processes > 1 && { reusePort: true, exclusive: true }) }
}

/** Several processes listen on the same port, and the kernel distributes connections among them. */
async function listen(app: FastifyInstance, host: string, port: number, processes = 1): Promise<string> {
  await app.listen(listenOptions(host, port, processes) as FastifyListenOptions).catch(failToListen(host, port))
  const { port: opened } = app.server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${opened}`
}

const drainMilliseconds = 10_000
const arrivalMilliseconds = 300

/** Accepts no new connections, answers waiting polls, and gives running requests time to finish. */
async function drain(app: FastifyInstance, ctx: Context, server: Server): Promise<void> {
  const unused = stopListening(server)
  if (ctx.shutdown.graceMilliseconds > 0) await sleep(arrivalMilliseconds)
  const deadline = performance.now() + drainMilliseconds
  const closed = Promise.all([app.close(), unused]).then(() => true)
  for (;;) {
    // Repeatedly, because another poll may arrive on a connection that is still open.
    void ctx.queues.close()
    app.server.closeIdleConnections()
    if (performance.now() > deadline) app.server.closeAllConnections()
    if (await Promise.race([closed, sleep(50, false)])) return
  }
}

/**
 * Resolves when the last connection is closed. `http.Server.close` would also close connections on which the first
 * request has not arrived yet.
 */
function stopListening(server: Server): Promise<unknown> {
  return new Promise((resolve) => Server.prototype.close.call(server, resolve))
}
