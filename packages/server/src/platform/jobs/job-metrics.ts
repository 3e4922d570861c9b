import type pg from 'pg'
import { Gauge, type Registry } from 'prom-client'

const figures = {
  parley_jobs_due: 'Background jobs whose time has come and that nobody works on yet.',
  parley_jobs_oldest_due_seconds: 'How long the oldest of them has been due.',
  parley_jobs_planned: 'Background jobs for later, those included that failed and will be tried again.',
  parley_jobs_running: 'Background jobs that are being worked on, in all processes.',
  parley_jobs_failed: 'Background jobs that were given up: see "parley jobs".',
}
type Figure = keyof typeof figures
type Figures = { task: string } & Record<Figure, number>

/** Reports what waits in the job queue, over all processes. One query, run only when the metrics are read. */
export function observeJobs(registry: Registry, pool: pg.Pool): void {
  let reading: Promise<Figures[]> | undefined
  const read = () => {
    reading ??= readFigures(pool).finally(() => {
      reading = undefined
    })
    return reading
  }
  for (const [name, help] of Object.entries(figures) as [Figure, string][])
    new Gauge({
      name,
      help,
      labelNames: ['task'],
      aggregator: 'max', // every process reads the same figures
      registers: [registry],
      async collect() {
        this.reset()
        for (const row of await read()) this.set({ task: row.task }, row[name])
      },
    })
}

/** Without the database these metrics are missing, but the others are still reported. */
async function readFigures(pool: pg.Pool): Promise<Figures[]> {
  try {
    const { rows } = await pool.query<Figures>(query)
    return rows
  } catch {
    return []
  }
}

const query = `
  select task,
         count(*) filter (where is_due)::int as parley_jobs_due,
         coalesce(extract(epoch from now() - min(run_at) filter (where is_due)), 0)::float as parley_jobs_oldest_due_seconds,
         count(*) filter (where is_open and run_at > now())::int as parley_jobs_planned,
         count(*) filter (where locked_at is not null)::int as parley_jobs_running,
         count(*) filter (where locked_at is null and attempts >= max_attempts)::int as parley_jobs_failed
    from (select *, locked_at is null and attempts < max_attempts as is_open,
                 locked_at is null and attempts < max_attempts and run_at <= now() as is_due
            from jobs.jobs) as jobs
   group by task`
