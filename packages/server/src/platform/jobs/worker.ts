import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Logger, type Runner, run, runMigrations, type TaskList, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'

/** Background work by name. What `tx.enqueue` wrote is what a task is given: the types were checked there. */
export type TaskFunctions = Record<string, (job: never) => Promise<void>>

/** When a task runs by itself, in cron's notation. One process of those that share the database runs it. */
export type Schedule = Record<string, string>

export interface JobOptions {
  pool: pg.Pool
  log: FastifyBaseLogger
  tasks: TaskFunctions
  schedule: Schedule
  atOnce: number
  /** Told of every attempt that ended. */
  ended?(task: string, isDone: boolean): void
}

export interface Jobs {
  /** The names under which jobs are held here. */
  pools(): string[]
  /** Waits a moment for what is running; what does not end is done again by whoever comes next. */
  stop(): Promise<void>
}

const restMilliseconds = 2000
const patience = 2000

/** Makes the tables that jobs are kept in. */
export async function prepareJobs(pool: pg.Pool): Promise<void> {
  await runMigrations({ pgPool: pool, logger: quiet })
}

/** Runs jobs until stopped; a database that goes away interrupts it, and it goes on when the database is back. */
export function startJobs(options: JobOptions): Jobs {
  const stopping = new AbortController()
  const events: WorkerEvents = new EventEmitter()
  let runner: Runner | undefined
  let pool: string | undefined
  events.on('pool:create', ({ workerPool }) => {
    pool = workerPool.id
  })
  events.on('job:complete', ({ job, error }) => options.ended?.(job.task_identifier, !error))

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        runner = await run({ ...runnerOptions(options), events })
        if (stopping.signal.aborted) await runner.stop()
        await runner.promise
      } catch (error) {
        options.log.warn({ err: error }, 'background jobs were interrupted')
      }
      await sleep(restMilliseconds, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const done = keepRunning()
  return {
    pools: () => (pool === undefined ? [] : [pool]),
    async stop() {
      stopping.abort()
      await runner?.stop().catch(() => {}) // it may have stopped by itself
      await Promise.race([done, sleep(patience, undefined, { ref: false })])
    },
  }
}

/**
 * The library waits for what it writes down about ended jobs only if it gathers them, be it for no time at all.
 * Otherwise a database that is away just then would end the process.
 */
const noted = { completeJobBatchDelay: 0, failJobBatchDelay: 0 }

function runnerOptions({ pool, log, tasks, schedule, atOnce }: JobOptions) {
  return {
    pgPool: pool,
    taskList: taskList(tasks),
    crontab: crontabOf(schedule),
    concurrency: atOnce,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: patience,
    preset: { worker: noted },
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') log.warn(message)
    }),
  }
}

function taskList(tasks: TaskFunctions): TaskList {
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, (payload) => task(payload as never)]))
}

/** One line a task. Its runs go one after another, however long one takes. */
function crontabOf(schedule: Schedule): string {
  return Object.entries(schedule)
    .map(([task, when]) => `${when} ${task} ?queue=${task}&jobKey=${task}&max=1`)
    .join('\n')
}

const quiet = new Logger(() => () => {})
