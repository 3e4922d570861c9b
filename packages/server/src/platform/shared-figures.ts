import { lookup } from '@parley/api/lookup'
import { Gauge, type Registry } from 'prom-client'

/**
 * Gauges that are the same in every process, from one read, which happens only when the metrics are read. Those that cannot
 * be read, because the database is away, are missing.
 */
export function observeShared<Name extends string>(
  registry: Registry,
  figures: Record<Name, string>,
  read: () => Promise<Partial<Record<Name, number | null>>>,
): void {
  let reading: Promise<Record<string, number | null | undefined>> | undefined
  const readOnce = () => {
    reading ??= read()
      .catch((): Record<string, number | null | undefined> => ({}))
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  for (const [name, help] of Object.entries(figures) as [Name, string][])
    new Gauge({
      name,
      help,
      aggregator: 'max',
      registers: [registry],
      async collect() {
        this.reset()
        const value = lookup<number | null | undefined>(await readOnce(), name)
        if (value === null || value === undefined) this.remove()
        else this.set(value)
      },
    })
}
