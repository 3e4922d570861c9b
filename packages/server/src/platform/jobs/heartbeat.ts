import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Jobs } from './job-runner.ts'

const beatMilliseconds = 5000
/** A process without a heartbeat for this long counts as dead. */
export const silence = '15 seconds'

export interface Beating {
  pool: pg.Pool
  log: FastifyBaseLogger
  /** Whether this process serves clients. */
  serves: boolean
  /** Absent: this process runs no background jobs. */
  jobs: Jobs | undefined
}

export interface Heartbeat {
  stop(): Promise<void>
}

/**
 * Writes a heartbeat every few seconds and takes over the jobs of dead processes, which would otherwise stay locked.
 */
export function startHeartbeat(options: Beating): Heartbeat {
  const { pool, log, jobs } = options
  const id = randomUUID()
  const stopping = new AbortController()

  async function keepBeating(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { is_steady, has_dead } = await noteBeat(options, id)
        if (is_steady && has_dead && jobs) await takeOverJobs(pool)
      } catch (error) {
        log.warn({ err: error }, 'this process could not say that it is alive')
      }
      await sleep(beatMilliseconds, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const done = keepBeating()
  return {
    async stop() {
      stopping.abort()
      await done
      await pool.query('delete from processes where id = $1', [id]).catch(() => {}) // otherwise other processes soon find it dead
    },
  }
}

interface Beat {
  /**
   * Whether this process itself has sent heartbeats for the whole timeout. If it or its database was away, it cannot know
   * whether other processes are dead.
   */
  is_steady: boolean
  /** Whether there are dead processes, or jobs of some. */
  has_dead: boolean
}

async function noteBeat({ pool, serves, jobs }: Beating, id: string): Promise<Beat> {
  const { rows } = await pool.query<Beat>(
    `insert into processes as p (id, serves, job_pools) values ($1, $2, $3)
     on conflict (id) do update
       set job_pools = excluded.job_pools, seen_at = now(),
           since = case when p.seen_at < now() - $4::interval then now() else p.since end
     returning since < now() - $4::interval as is_steady,
               exists (select 1 from processes d where d.seen_at < now() - $4::interval and d.id <> $1) or
               exists (select 1 from jobs.jobs where locked_at < now() - $4::interval) as has_dead`,
    [id, serves, jobs?.pools() ?? [], silence],
  )
  return rows[0]!
}

/** A job locked just now may have a lock id that is not in any heartbeat yet, so only older locks are taken over. */
async function takeOverJobs(pool: pg.Pool): Promise<void> {
  await pool.query('delete from processes where seen_at < now() - $1::interval', [silence])
  await pool.query(
    `with dead as (
       select distinct locked_by from jobs.jobs
        where locked_at < now() - $1::interval and locked_by not in (select unnest(job_pools) from processes)
     ), lines as (
       update jobs.lines set locked_at = null, locked_by = null where locked_by in (select locked_by from dead)
     )
     update jobs.jobs set locked_at = null, locked_by = null where locked_by in (select locked_by from dead)`,
    [silence],
  )
}
