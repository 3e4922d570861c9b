import type { Started } from './processes.ts'
import type { BenchRealm } from './realm.ts'

/** What the measures need. */
export interface Bench {
  server: Started
  /** The bare node:http server. */
  raw: Started
  /** Starts another process of each, for measures that earlier load would distort. */
  startServer(processes?: number, env?: Record<string, string>): Promise<Started>
  startRaw(env?: Record<string, string>): Promise<Started>
  realm: BenchRealm
  /** The server's own database. */
  databaseUrl: string
  /** A database with the same tables for pgbench. */
  referenceUrl: string
  clientCounts: number[]
  idleQueues: number
}
