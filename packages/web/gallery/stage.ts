import { startEmbeddedPostgres } from '../../server/src/platform/postgres/embedded.ts'
import { cleanUp, tempFolder } from '../../server/src/platform/postgres/test-support.ts'
import { startParley } from '../../server/src/testing/program.ts'
import { until } from '../../server/src/testing/until.ts'
import { Api } from './api.ts'
import { query } from './sql.ts'

/** A demo with an own database and port, which is gone after `close`. */
export class Stage {
  readonly url: string
  /** When it was started, in seconds. */
  readonly start: number
  readonly #databaseUrl: string
  readonly #close: () => Promise<void>
  /** Ids of what states name in braces, such as `channel design`. */
  readonly ids = new Map<string, string | number>()
  readonly #people = new Map<string, Promise<Api>>()

  constructor(url: string, start: number, databaseUrl: string, close: () => Promise<void>) {
    this.url = url
    this.start = start
    this.#databaseUrl = databaseUrl
    this.#close = close
  }

  static async open(): Promise<Stage> {
    const hooks: (() => Promise<void>)[] = []
    const scope = { after: (hook: () => Promise<void>) => void hooks.push(hook) }
    const close = async () => {
      for (const hook of hooks) await hook()
    }
    try {
      const start = Math.floor(Date.now() / 1000)
      const folder = tempFolder(scope)
      const postgres = await startEmbeddedPostgres({ dataDir: folder, log: console.error })
      cleanUp(scope, postgres.stop)
      const env = {
        DATABASE_URL: postgres.url,
        DATA_DIR: folder,
        SECRET_KEY: 'a secret only for the gallery of Parley',
        RATE_LIMIT: '0',
        WEB_CLIENT: 'on',
      }
      const { url } = await startParley(scope, ['--demo'], { env })
      await until(async () => (await fetch(url)).ok, 120) // the client is being built
      return new Stage(url, start, postgres.url, close)
    } catch (error) {
      await close()
      throw error
    }
  }

  /** The API, as a user of the demo: `member` for member@example.com. */
  as(person: string): Promise<Api> {
    const known = this.#people.get(person) ?? Api.signIn(this.url, `${person}@example.com`)
    this.#people.set(person, known)
    return known
  }

  sql(text: string, values: unknown[] = []): Promise<void> {
    return query(this.#databaseUrl, text, values)
  }

  close(): Promise<void> {
    return this.#close()
  }
}
