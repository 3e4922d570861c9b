import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Logger, type Runner, run, runMigrations, type TaskList } from 'graphile-worker'
import type pg from 'pg'

/** Work done in the background, given what `tx.enqueue` was given. */
export type Task = (payload: unknown) => Promise<void>

/** When a task runs by itself, in cron's notation. One process of those that share the database runs it. */
export type Schedule = Record<string, string>

export interface JobOptions {
  pool: pg.Pool
  log: FastifyBaseLogger
  tasks: Record<string, Task>
  schedule: Schedule
}

export interface Jobs {
  /** Waits a moment for what is running; what does not end is done again by whoever comes next. */
  stop(): Promise<void>
}

const atOnce = 2
const restMilliseconds = 2000
const patience = 2000

/** Makes the tables that jobs are kept in. */
export async function prepareJobs(pool: pg.Pool): Promise<void> {
  await runMigrations({ pgPool: pool, logger: quiet })
}

/** Runs jobs until stopped; a database that goes away interrupts it, and it goes on when the database is back. */
export function startJobs(options: JobOptions): Jobs {
  const stopping = new AbortController()
  let runner: Runner | undefined

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        runner = await run(runnerOptions(options))
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
    async stop() {
      stopping.abort()
      await runner?.stop().catch(() => {}) // it may have stopped by itself
      await Promise.race([done, sleep(patience, undefined, { ref: false })])
    },
  }
}

function runnerOptions({ pool, log, tasks, schedule }: JobOptions) {
  return {
    pgPool: pool,
    taskList: tasks as TaskList,
    crontab: crontabOf(schedule),
    concurrency: atOnce,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: patience,
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') log.warn(message)
    }),
  }
}

/** One line a task. Its runs go one after another, however long one takes. */
function crontabOf(schedule: Schedule): string {
  return Object.entries(schedule)
    .map(([task, when]) => `${when} ${task} ?queue=${task}&jobKey=${task}&max=1`)
    .join('\n')
}

const quiet = new Logger(() => () => {})
