import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Say } from '../context.ts'
import { StartupError } from '../platform/postgres/startup-error.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'
import { findPort } from './ports.ts'
import { answerSupervisor, collectMetrics } from './process-metrics.ts'

/** What the supervisor tells a new process. */
interface Assignment {
  database: Omit<OpenDatabase, 'close'>
  port: number
  poolSize: number
  /** The first process seeds the demo, builds the web client and greets. */
  isFirst: boolean
}

const ready = 'ready'

export async function receiveAssignment(): Promise<Assignment> {
  answerSupervisor()
  const [assignment] = await once(process, 'message')
  return assignment as Assignment
}

export function reportReady(): void {
  process.send!(ready)
}

interface Supervised {
  ctx: { shutdown: { graceMilliseconds: number } }
  close(): Promise<void>
}

/**
 * Opens the database and starts the processes that serve on one port. A process that ends is replaced. The others start after the first one, so that there is one demo and one web client.
 */
export async function superviseProcesses(config: Config, say: Say): Promise<Supervised> {
  const poolSize = poolSizeOf(config)
  const port = await findPort(config.host, config.port)
  const database = await openDatabase(config, say)
  const { url, place, migrated } = database
  const supervisor = new Supervisor({ database: { url, place, migrated }, port, poolSize }, say)
  const shutdown = { graceMilliseconds: config.stopGrace * 1000 }
  const close = async () => {
    await supervisor.stop(shutdown.graceMilliseconds > 0 ? 'SIGTERM' : 'SIGINT')
    await database.close()
  }
  collectMetrics()
  try {
    await supervisor.start(config.processes)
  } catch (error) {
    await close()
    throw error
  }
  return { ctx: { shutdown }, close }
}

/** Connections of the embedded PostgreSQL that the processes may share; the others are for commands. */
const embeddedConnections = 48

function poolSizeOf({ databaseUrl, poolSize, processes }: Config): number {
  if (databaseUrl !== undefined) return poolSize
  const share = Math.floor(embeddedConnections / processes) - 1
  if (share < 4)
    throw new StartupError(
      `The embedded PostgreSQL has connections for at most 9 processes, not ${processes}: set PROCESSES to less, or DATABASE_URL to a PostgreSQL of your own.`,
    )
  return Math.min(poolSize, share)
}

const restartMilliseconds = 1000

class Supervisor {
  readonly #assignment: Omit<Assignment, 'isFirst'>
  readonly #say: Say
  readonly #workers = new Set<Worker>()
  #isStopping = false

  constructor(assignment: Omit<Assignment, 'isFirst'>, say: Say) {
    this.#assignment = assignment
    this.#say = say
  }

  async start(count: number): Promise<void> {
    await this.#startOne(true)
    await Promise.all(Array.from({ length: count - 1 }, () => this.#startOne(false)))
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#isStopping = true
    const ended = [...this.#workers].map((worker) => once(worker, 'exit'))
    for (const worker of this.#workers) worker.process.kill(signal)
    await Promise.all(ended)
  }

  /** Resolves when the process serves. */
  async #startOne(isFirst: boolean): Promise<void> {
    const worker = cluster.fork()
    this.#workers.add(worker)
    worker.once('exit', () => this.#workers.delete(worker))
    worker.on('error', () => {}) // it ended while something was sent to it
    worker.send({ ...this.#assignment, isFirst } satisfies Assignment)
    await this.#served(worker)
    worker.once('exit', (code, signal) => void this.#replace(signal ?? code))
  }

  async #served(worker: Worker): Promise<void> {
    const failed = once(worker, 'exit').then(() => {
      throw new StartupError('A process could not start; its reason is above.')
    })
    const reported = new Promise<void>((resolve) => worker.on('message', (message) => message === ready && resolve()))
    await Promise.race([reported, failed])
  }

  async #replace(reason: unknown): Promise<void> {
    if (this.#isStopping) return
    this.#say(`A process ended unexpectedly (${reason}) and is being replaced.`)
    await sleep(restartMilliseconds)
    if (this.#isStopping) return
    await this.#startOne(false).catch(() => this.#replace('it could not start'))
  }
}
