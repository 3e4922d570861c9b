import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { type OpenDatabase, openDatabase, type Say } from './database.ts'
import { startBackgroundWork } from './jobs.ts'
import { errorCode, reasonOf, StartupError } from './platform/postgres/startup-error.ts'
import { refusePublicDemo, seedDemo } from './setup/demo.ts'
import { closeContext, createContext } from './start.ts'

export interface RunningServer {
  ctx: Context
  /** Where it listens. */
  url: string
  database: OpenDatabase
  close(): Promise<void>
}

/** Starts everything a server needs, in order; close() takes it down in the opposite order. */
export async function startServer(config: Config, say: Say): Promise<RunningServer> {
  const resources = new AsyncDisposableStack()
  try {
    const database = await openDatabase(config, say)
    resources.defer(database.close)
    const ctx = await createContext(config, database.url)
    resources.defer(() => closeContext(ctx))
    const app = buildApp(ctx)
    resources.defer(() => app.close())
    await app.ready()
    if (config.mode === 'demo') await seedDemo(app, ctx, say)
    else await refusePublicDemo(ctx)
    const url = await listen(app, config)
    const work = startBackgroundWork(ctx)
    resources.defer(async () => void (await Promise.all([drain(app, ctx), work.stop()])))
    return { ctx, url, database, close: () => resources.disposeAsync() }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw new StartupError(cannotListen(errorCode(error), host, port, reasonOf(error)), { cause: error })
  }
  const { port: opened } = app.server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${opened}`
}

function cannotListen(code: string, host: string, port: number, reason: string): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use by another program: stop that one or set PORT to another number.`
  if (code === 'EACCES')
    return `Port ${port} needs rights that this user does not have: set PORT to a number above 1023.`
  return `Parley cannot listen on ${host} (${reason}): set HOST to an address of this machine.`
}

const drainMilliseconds = 10_000

/** Takes no new connections, answers those who wait, and gives running requests time to finish. */
async function drain(app: FastifyInstance, ctx: Context): Promise<void> {
  const deadline = performance.now() + drainMilliseconds
  const closed = app.close().then(() => true)
  for (;;) {
    // Again and again: a poll may come in on a connection that was still open.
    void ctx.queues.close()
    app.server.closeIdleConnections()
    if (performance.now() > deadline) app.server.closeAllConnections()
    if (await Promise.race([closed, sleep(50, false)])) return
  }
}
