import type { Db } from '../../platform/db/pool.ts'
import { readServerSettings, type ServerSettings } from './queries.ts'

/** The settings of the operator, in memory because every request needs them. After a change, `refresh` reads them again. */
export class CurrentSettings {
  readonly #db: Db
  #settings: ServerSettings = { maintenance: null, rate_limit: null }
  #reading: Promise<void> = Promise.resolve()

  constructor(db: Db) {
    this.#db = db
  }

  get maintenance(): string | null {
    return this.#settings.maintenance
  }

  get rateLimit(): number | null {
    return this.#settings.rate_limit
  }

  /** One read after the other, so that an old answer never replaces a newer one. Without the database, nothing changes. */
  refresh(): Promise<void> {
    const read = async () => {
      this.#settings = await readServerSettings(this.#db)
    }
    this.#reading = this.#reading.then(read).catch(() => {})
    return this.#reading
  }
}
