import type { Db } from '../../platform/db/pool.ts'

/** What the operator changes while servers run. */
export interface ServerSettings {
  /** What the maintenance is for; null: there is none. */
  maintenance: string | null
  /** Requests a minute and user; null: RATE_LIMIT. */
  rate_limit: number | null
}

export function readServerSettings(db: Db): Promise<ServerSettings> {
  return db.selectFrom('server_settings').select(['maintenance', 'rate_limit']).executeTakeFirstOrThrow()
}
