import type { Started } from './processes.ts'
import type { BenchRealm } from './realm.ts'

/** What the measures work with. */
export interface Bench {
  server: Started
  /** The bare node:http server. */
  raw: Started
  /** Another process of each, for measures that what ran before would distort. */
  startServer(): Promise<Started>
  startRaw(): Promise<Started>
  realm: BenchRealm
  /** The server's own database. */
  databaseUrl: string
  /** A database of the same tables for pgbench. */
  referenceUrl: string
  clientCounts: number[]
  idleQueues: number
}
