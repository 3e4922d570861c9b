import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { completeJob, failJob, type HeldJob, releaseJobs, takeJob } from './job-store.ts'
import { WorkSignal } from './signal.ts'

/** Background tasks by name. The payload is what `tx.enqueue` wrote; its type was checked there. */
export type TaskFunctions = Record<string, (job: never) => Promise<void>>

export interface JobOptions {
  pool: pg.Pool
  log: FastifyBaseLogger
  tasks: TaskFunctions
  atOnce: number
  /** Shared with other runners of this process, which stop together. */
  signal?: WorkSignal
  /** Whether no job may be started at present. */
  isPaused?(): boolean
  /** Called after every attempt. */
  ended?(task: string, isDone: boolean): void
}

export interface Jobs {
  /** The ids under which this process locks jobs. */
  pools(): string[]
  /** Waits briefly for running jobs; another process retries those that do not finish. */
  stop(): Promise<void>
}

const retryMilliseconds = 2000
const patience = 2000

/** Runs jobs until stopped. Keeps retrying while the database is unreachable. */
export function startJobs(options: JobOptions): Jobs {
  const worker = new Worker(options)
  return { pools: () => [worker.holder], stop: () => worker.stop() }
}

class Worker {
  readonly holder = randomUUID()
  readonly #options: JobOptions
  readonly #tasks: Map<string, (job: never) => Promise<void>>
  readonly #signal: WorkSignal
  readonly #stopping = new AbortController()
  readonly #done: Promise<unknown>
  #endedJobs = 0
  /** The occasion at which nothing was found. */
  #emptyAt: number | undefined

  constructor(options: JobOptions) {
    this.#options = options
    this.#tasks = new Map(Object.entries(options.tasks))
    this.#signal = options.signal ?? new WorkSignal(options.pool)
    this.#done = Promise.all(Array.from({ length: options.atOnce }, () => this.#keepWorking()))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#signal.close()
    await Promise.race([this.#done, sleep(patience, undefined, { ref: false })])
    // If this fails, other processes notice that this one is gone and take over its jobs.
    await releaseJobs(this.#options.pool, this.holder).catch(() => {})
  }

  async #keepWorking(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { generation, turns } = this.#signal
      const isDone = await turns.run(
        () => this.#take(),
        (job) => this.#perform(job),
      )
      if (!isDone && !this.#stopping.signal.aborted) await this.#signal.wait(generation)
    }
  }

  /** Nobody looks again after nothing was found, until there is an occasion. */
  async #take(): Promise<HeldJob | undefined> {
    const occasion = this.#occasion
    if (occasion === this.#emptyAt || this.#stopping.signal.aborted || this.#options.isPaused?.()) return undefined
    try {
      const job = await takeJob(this.#options.pool, this.holder, [...this.#tasks.keys()])
      if (!job) this.#emptyAt = occasion
      return job
    } catch (error) {
      this.#options.log.warn({ err: error }, 'could not look for background jobs')
      return undefined
    }
  }

  /** Grows with every signal, and with every job that ends: the next one of the same line can be taken then. */
  get #occasion(): number {
    return this.#signal.generation + this.#endedJobs
  }

  async #perform(job: HeldJob): Promise<void> {
    const { pool, log, ended } = this.#options
    try {
      await this.#tasks.get(job.task)!(job.payload as never)
      ended?.(job.task, true)
      await this.#record(() => completeJob(pool, this.holder, job))
    } catch (error) {
      logFailure(log, job, error)
      ended?.(job.task, false)
      await this.#record(() => failJob(pool, this.holder, job, reasonOf(error)))
    }
    this.#endedJobs++
  }

  /** Retries until the database is reachable: a finished job must not run a second time. */
  async #record(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        this.#options.log.warn({ err: error }, 'could not record the end of a background job')
        if (this.#stopping.signal.aborted) return
        await sleep(retryMilliseconds, undefined, { signal: this.#stopping.signal }).catch(() => {})
      }
    }
  }
}

function logFailure(log: FastifyBaseLogger, { id, task, attempts, max_attempts }: HeldJob, err: unknown): void {
  const failed = { err, task, job: id, attempt: attempts }
  if (attempts < max_attempts) log.warn(failed, 'a background job failed')
  else log.error(failed, 'a background job failed for good')
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
